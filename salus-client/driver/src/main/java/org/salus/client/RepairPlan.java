package org.salus.client;

import java.util.List;
import org.salus.core.VolumeSpec;

/**
 * The records of a volume that a repair would write.
 *
 * @param spec the volume's shape
 * @param shapeFrom where it is known from, in words
 * @param mountEpoch every later mount has a higher one
 * @param regions in order
 */
public record RepairPlan(VolumeSpec spec, String shapeFrom, long mountEpoch, List<Region> regions) {

  /**
   * One region.
   *
   * @param epoch the next one is higher
   * @param served the newest epoch of which HDFS has a certified manifest
   * @param holders the servers whose DataNodes have the log up to that epoch
   * @param missing members of that epoch that do not run, or do not have its log
   * @param segments log segments that the manifest needs, and those after it
   * @param checkpoints that it needs
   */
  public record Region(
      int index,
      int epoch,
      int served,
      List<String> holders,
      List<String> missing,
      int segments,
      int checkpoints) {}
}
