package org.salus.master;

import java.io.IOException;
import java.util.List;

/** The HBase tables of the volumes. Every call blocks until HBase has done it. Thread-safe. */
public interface VolumeCatalogue {
  /**
   * Makes a volume's table and returns when its replicas are open. Does nothing when the same table
   * exists.
   *
   * @param regions the number of regions, at least 1
   * @throws IOException when HBase fails, or a different table of this name exists
   */
  void create(String volume, int regions) throws IOException;

  /** Removes a volume's table. Does nothing when there is none. */
  void delete(String volume) throws IOException;

  /** Returns the volumes that have a table, sorted. */
  List<String> list() throws IOException;
}
