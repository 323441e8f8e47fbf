package org.salus.client;

import java.time.Instant;
import java.util.List;

/**
 * What is known of a volume.
 *
 * @param size bytes
 * @param blockSize bytes
 * @param synced acknowledged only after fsync on three DataNodes
 * @param segmentSize bytes of a log segment
 * @param writer who has it mounted, or null
 */
public record VolumeInfo(
    String name, String id, long size, int blockSize, boolean synced, long segmentSize, boolean deleting, Writer writer, List<Region> regions) {

  /** Who has the volume mounted. */
  public record Writer(String holder, Instant since, long mountEpoch) {}

  /**
   * One region.
   *
   * @param epoch of its replicated region server; 0 when it has none yet
   * @param state NONE, OPENING, SERVING, FULL or BROKEN
   * @param note why it is in that state, in words
   * @param members in chain order
   */
  public record Region(int index, int epoch, String state, String note, List<Member> members) {}

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
   * @param segments log segments on disk
   * @param segmentBytes bytes in them
   * @param checkpoints live checkpoints
   * @param checkpointBytes bytes in them
   */
  public record Status(boolean serving, long watermark, int segments, long segmentBytes, int checkpoints, long checkpointBytes) {}

  /** Whether every region serves. */
  public boolean serving() {
    return regions.stream().allMatch(r -> r.state().equals("SERVING"));
  }
}
