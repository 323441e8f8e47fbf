package org.salus.dist.install;

import java.util.List;

/**
 * A change of the text of a file of settings. Immutable.
 *
 * @param key the setting; empty for what stands around settings
 * @param before what stood there
 * @param after what stands there now
 * @param added the part of its value that is Salus', if it is a list; else empty
 */
record Edit(String key, String before, String after, List<String> added) {
  Edit {
    added = List.copyOf(added);
  }
}
