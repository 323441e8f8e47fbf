package org.salus.sim.store;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.replacement.RrsRecord;

/** The records of regions in ZooKeeper. The master writes them; servers change them, too. */
public final class SimRecords {
  private final TreeMap<Integer, RrsRecord> records = new TreeMap<>();
  private final TreeMap<Integer, Integer> versions = new TreeMap<>();
  private final TreeMap<Integer, List<RrsRecord>> written = new TreeMap<>();

  /** A region's record, or null. */
  public RrsRecord get(int region) {
    return records.get(region);
  }

  /** How often a region's record has changed. */
  public int version(int region) {
    return versions.getOrDefault(region, 0);
  }

  /** The records of a region that the master has written, oldest first. */
  public List<RrsRecord> written(int region) {
    return written.get(region);
  }

  /** The master writes a record. */
  public void write(int region, RrsRecord next) {
    written.computeIfAbsent(region, r -> new ArrayList<>()).add(next);
    put(region, next);
  }

  /** Changes a record; null removes it. */
  public void put(int region, RrsRecord record) {
    versions.merge(region, 1, Integer::sum);
    if (record == null) {
      records.remove(region);
    } else {
      records.put(region, record);
    }
  }
}
