package org.salus.client;

import java.util.List;
import org.salus.core.VolumeSpec;

/**
 * The records of a volume that a repair would write.
 *
 * @param spec the volume's shape
 * @param shapeFrom where the shape is known from, in words
 * @param mountEpoch the mount epoch to write; every later mount has a higher one
 * @param regions the regions in order
 * @param silent servers that run and did not answer what their DataNodes have
 */
public record RepairPlan(
    VolumeSpec spec, String shapeFrom, long mountEpoch, List<Region> regions, List<String> silent) {

  /**
   * One region.
   *
   * @param index the region's number, from 0
   * @param served the newest epoch of which HDFS has a certified manifest
   * @param holders the servers whose DataNodes have the log up to that epoch
   * @param missing members of that epoch that do not run, or do not have its log
   * @param segments number of log segments that were found
   * @param checkpoints number of checkpoints that the manifest names
   */
  public record Region(
      int index,
      int served,
      List<String> holders,
      List<String> missing,
      int segments,
      int checkpoints) {}
}
