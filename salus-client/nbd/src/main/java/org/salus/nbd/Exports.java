package org.salus.nbd;

import java.util.List;
import org.salus.client.Volume;

/** The volumes that a server offers. Thread-safe. */
public interface Exports {

  List<String> names();

  /**
   * The volume of this name, or null. The empty name means the only volume when there is just one.
   */
  Volume find(String name);
}
