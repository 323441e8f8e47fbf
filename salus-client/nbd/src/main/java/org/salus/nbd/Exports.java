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

  /** Why the volume of this name can be used no more, in words for users; null if it can. */
  default String problem(String name) {
    return null;
  }

  /**
   * Whether each volume is for one client, which has one connection at a time. Then a new
   * connection ends those before it. It is served once what they have begun is answered.
   */
  default boolean isForOneClient() {
    return false;
  }
}
