package org.salus.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.salus.core.mount.LossRecord;

/**
 * A description of a volume. Immutable.
 *
 * @param name the volume's name
 * @param id the volume's id, 16 hexadecimal digits; empty if a record of it cannot be read
 * @param shape what is fixed since it was made; null if a record of it cannot be read
 * @param deleting whether the volume is being deleted
 * @param health healthy, degraded or unavailable; healthy only when all members of all regions
 *     agree
 * @param why why it is not healthy, in words; else empty
 * @param writer the writer that has it mounted, or null
 * @param confirmed the last mount that found the volume whole: the regions' roots together gave the
 *     volume root; or null
 * @param losses acknowledged changes that mounts have found lost, oldest first, until {@link
 *     SalusClient#acceptLosses}
 * @param regions the regions in order
 * @param scrubs the state of the scrub on its members' servers
 */
public record VolumeInfo(
    String name,
    String id,
    Shape shape,
    boolean deleting,
    String health,
    String why,
    Writer writer,
    Confirmed confirmed,
    List<Loss> losses,
    List<Region> regions,
    List<Scrub> scrubs) {

  /**
   * The shape of a volume.
   *
   * @param size in bytes
   * @param blockSize in bytes
   * @param synced whether writes are acknowledged only when on disk at all members' DataNodes
   * @param strict whether a region goes on only with three members
   * @param segmentSize size of a log segment in bytes
   */
  public record Shape(long size, int blockSize, boolean synced, boolean strict, long segmentSize) {}

  /**
   * The writer of a mounted volume.
   *
   * @param holder its user, machine and process
   * @param since the time at which it took the volume
   * @param mountEpoch the number of its mount
   */
  public record Writer(String holder, Instant since, long mountEpoch) {}

  /**
   * A mount that found the volume whole.
   *
   * @param at the time of that
   * @param wentBackBy how many changes were lost before it that were acknowledged and not flushed,
   *     as in a power cut of all servers
   */
  public record Confirmed(Instant at, long wentBackBy) {}

  /**
   * Changes that were acknowledged and not flushed, and that a power cut of all servers has taken:
   * the volume is as it was after the change {@code prefix}.
   *
   * @param at the time at which a mount found that
   * @param holder the user, machine and process of the mount
   * @param mountEpoch the number of the mount
   * @param prefix the number of the last change that is there; of the last one that is there for
   *     certain, if {@code served}
   * @param acked the number of the last change that was acknowledged
   * @param served whether that mount had the volume open, and has lost what it acknowledged itself.
   *     How far the volume goes back is found by the next mount, if that knows of the loss
   */
  public record Loss(
      Instant at, String holder, long mountEpoch, long prefix, long acked, boolean served) {
    /** Names the loss as it is known, in {@code salus volume accept-losses}. */
    public String id() {
      return (served ? "open" : "mount") + mountEpoch + ":" + prefix + "-" + acked;
    }

    /**
     * As the record has it. Which mount had served before is not known here. So it stands for no
     * finding of an earlier mount.
     */
    LossRecord.Loss noted() {
      return new LossRecord.Loss(
          at.toEpochMilli(), holder, mountEpoch, prefix, acked, served, Long.MAX_VALUE);
    }

    static List<Loss> of(List<LossRecord.Loss> noted) {
      return noted.stream()
          .map(
              l ->
                  new Loss(
                      Instant.ofEpochMilli(l.at()),
                      l.holder(),
                      l.mountEpoch(),
                      l.prefix(),
                      l.acked(),
                      l.served()))
          .toList();
    }

    /** What is lost, since when it is known, and what to do, in one sentence. */
    String words(String volume) {
      String lost =
          acked
              - prefix
              + " changes that were acknowledged and not flushed are lost, as in a power cut of all"
              + " servers: ";
      String found =
          served
              ? "all servers of a region told "
                  + holder
                  + " at "
                  + at
                  + ", who had the volume open, that changes after PUT "
              : "the mount of "
                  + holder
                  + " found at "
                  + at
                  + " that the volume is as it was after PUT ";
      return (served ? "up to " : "")
          + lost
          + found
          + prefix
          + " of "
          + acked
          + (served ? " are gone" : "")
          + "; check what is on it, then run 'salus volume accept-losses "
          + volume
          + " "
          + id()
          + "'";
    }
  }

  /**
   * One region.
   *
   * @param index the region's number, from 0
   * @param epoch the epoch of its RRS; 0 when it has none yet
   * @param state NONE, OPENING, SERVING, FULL or BROKEN
   * @param note why it is in that state, in words
   * @param health healthy, degraded or unavailable
   * @param why why it is not healthy, in words; else empty
   * @param since the time at which the epoch was opened; null for the first
   * @param replacements number of replaced epochs by cause
   * @param finding the newest bad replica of one of its files, an unrepaired one first, or null
   * @param members in chain order
   * @param former servers without a member now, where requests have lately waited long
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
      List<Member> members,
      List<Former> former) {}

  /**
   * A bad replica.
   *
   * @param at the time at which it was found
   * @param node the server that found it on its DataNode
   * @param path the file's path in HDFS
   * @param repaired whether it was replaced by a good one
   * @param what what is wrong with it, and what became of it
   */
  public record Finding(Instant at, String node, String path, boolean repaired, String what) {}

  /**
   * A server's check of the replicas on its DataNode, of all volumes.
   *
   * @param node the server's name
   * @param passes number of finished passes
   * @param running whether a pass is under way
   * @param began the time at which the last pass began, or null
   * @param ended the time at which the last finished pass ended, or null
   * @param after the last file that the pass has checked
   * @param passFiles number of files checked in the pass
   * @param passBytes bytes checked in the pass
   * @param bytes bytes checked in all passes
   * @param bad bad replicas found in all passes
   * @param repaired how many of them were replaced by good ones
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
   * @param node the server's name
   * @param dataNode {@code ip:port} of its DataNode
   * @param status its own report, or null when it does not answer
   * @param waits the requests that wait or lately have waited long there; empty if there are none
   */
  public record Member(String node, String dataNode, Status status, List<Wait> waits) {}

  /**
   * A server without a member in this epoch, where requests have lately waited long.
   *
   * @param node the server's name
   * @param waits these requests
   */
  public record Former(String node, List<Wait> waits) {}

  /**
   * A member's report of itself.
   *
   * @param serving whether it serves the region
   * @param watermark the seq up to which everything is committed in its lane
   * @param segments number of log segments that are not in checkpoints
   * @param segmentBytes bytes in those segments
   * @param checkpoints number of live checkpoints
   * @param checkpointBytes bytes in checkpoints and in the log segments that hold their blocks
   * @param builds number of checkpoints that flushes and compactions are building
   */
  public record Status(
      boolean serving,
      long watermark,
      int segments,
      long segmentBytes,
      int checkpoints,
      long checkpointBytes,
      int builds) {}

  /**
   * A volume of which a record cannot be read. Nothing else is known of it.
   *
   * @param why why it cannot be read, in words
   */
  static VolumeInfo unreadable(String name, String why) {
    return new VolumeInfo(
        name, "", null, false, "unavailable", why, null, null, List.of(), List.of(), List.of());
  }

  /** What waits in all regions. */
  public WaitSum waits() {
    return WaitSum.of(regions);
  }

  /** Whether every region serves. */
  public boolean serving() {
    return shape != null && regions.stream().allMatch(r -> r.state().equals("SERVING"));
  }
}
