package org.salus.master;

import java.io.IOException;
import java.util.List;

/** The HBase tables that volumes live in. Thread-safe; every call waits until HBase has done it. */
public interface VolumeCatalogue {
  /**
   * Makes a volume's table and returns when its replicas are open; nothing to do when the same one
   * is there.
   */
  void create(String volume, int regions) throws IOException;

  /** Removes a volume's table; nothing to do when there is none. */
  void delete(String volume) throws IOException;

  /** Volumes that have a table, sorted. */
  List<String> list() throws IOException;
}
