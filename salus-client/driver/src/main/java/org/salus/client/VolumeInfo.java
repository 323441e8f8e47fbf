package org.salus.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * What is known of a volume.
 *
 * @param size bytes
 * @param blockSize bytes
 * @param synced acknowledged only after fsync on three DataNodes
 * @param segmentSize bytes of a log segment
 * @param health healthy, degraded or unavailable; healthy only when all members of all regions
 *     agree
 * @param why it is not healthy, in words; else empty
 * @param writer who has it mounted, or null
 * @param scrubs how far the servers of its members are with checking their replicas
 */
public record VolumeInfo(
    String name,
    String id,
    long size,
    int blockSize,
    boolean synced,
    long segmentSize,
    boolean deleting,
    String health,
    String why,
    Writer writer,
    List<Region> regions,
    List<Scrub> scrubs) {

  /** Who has the volume mounted. */
  public record Writer(String holder, Instant since, long mountEpoch) {}

  /**
   * One region.
   *
   * @param epoch of its replicated region server; 0 when it has none yet
   * @param state NONE, OPENING, SERVING, FULL or BROKEN
   * @param note why it is in that state, in words
   * @param health as of the volume
   * @param why it is not healthy, in words; else empty
   * @param since when the epoch was opened, null for the first
   * @param replacements epochs that were replaced so far, by cause
   * @param finding the last bad replica of one of its files, or null
   * @param members in chain order
   */
  public record Region(
      int index,
      int epoch,
      String state,
      String note,
      String health,
      String why,
      Instant since,
      Map<String, Integer> replacements,
      Finding finding,
      List<Member> members) {}

  /**
   * A bad replica.
   *
   * @param node the server that found it on its DataNode
   * @param path of the file in HDFS
   * @param what is wrong with it, and what became of it
   */
  public record Finding(Instant at, String node, String path, boolean repaired, String what) {}

  /**
   * A server's check of the replicas on its DataNode, of all volumes.
   *
   * @param passes that are through
   * @param running whether a pass is under way
   * @param began when the last pass began, or null
   * @param ended when the last pass that is through ended, or null
   * @param after the file of the pass that was checked last
   * @param passFiles files checked in the pass
   * @param passBytes bytes of them
   * @param bytes bytes checked ever
   * @param bad bad replicas found ever
   * @param repaired of them, replaced by good ones
   */
  public record Scrub(
      String node,
      long passes,
      boolean running,
      Instant began,
      Instant ended,
      String after,
      long passFiles,
      long passBytes,
      long bytes,
      long bad,
      long repaired) {}

  /**
   * One member: its server and its DataNode.
   *
   * @param status what it says of itself, or null when it does not answer
   */
  public record Member(String node, String dataNode, Status status) {}

  /**
   * What a member says.
   *
   * @param watermark everything up to this seq is committed in its lane
   * @param segments log segments that are not in checkpoints
   * @param segmentBytes bytes in them
   * @param checkpoints live checkpoints
   * @param checkpointBytes bytes in them, and in log segments that have their blocks
   * @param builds checkpoints that are being built, by flushes and compactions
   */
  public record Status(
      boolean serving,
      long watermark,
      int segments,
      long segmentBytes,
      int checkpoints,
      long checkpointBytes,
      int builds) {}

  /** Whether every region serves. */
  public boolean serving() {
    return regions.stream().allMatch(r -> r.state().equals("SERVING"));
  }
}
