package org.salus.dist.install;

import java.nio.file.Path;

/** A change of one file. A file that is put is there as a whole or not at all. Immutable. */
sealed interface Change {
  Path target();

  /**
   * Writes a file.
   *
   * @param like the file whose owner and mode it gets; null for those of its directory, and mode
   *     0644
   */
  record Write(Path target, byte[] content, Path like) implements Change {}

  /** Copies a file. */
  record Copy(Path target, Path source) implements Change {}

  /** Deletes a file. One that is gone is no error. */
  record Delete(Path target) implements Change {}
}
