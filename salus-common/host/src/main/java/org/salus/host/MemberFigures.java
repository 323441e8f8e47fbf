package org.salus.host;

import java.util.List;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.StatusReply;

/**
 * The numbers that people read of a member's report of itself. Immutable.
 *
 * @param serving whether it serves the region
 * @param watermark the seq up to which everything is committed in its lane
 * @param uncommitted the changes in its log that are not known to be committed
 * @param segments number of log segments that are not in checkpoints
 * @param segmentBytes bytes in those segments
 * @param checkpoints number of live checkpoints
 * @param checkpointBytes bytes in checkpoints and in the log segments that hold their blocks
 * @param builds number of checkpoints that flushes and compactions are building
 */
public record MemberFigures(
    boolean serving,
    long watermark,
    long uncommitted,
    int segments,
    long segmentBytes,
    int checkpoints,
    long checkpointBytes,
    int builds) {

  public static MemberFigures of(StatusReply r) {
    long flushed = Checkpoint.lastSegment(r.files().checkpoints());
    List<SegmentEnd> log =
        r.files().segments().stream().filter(s -> s.segment() > flushed).toList();
    long logBytes = log.stream().mapToLong(SegmentEnd::length).sum();
    long allBytes =
        r.files().segments().stream().mapToLong(SegmentEnd::length).sum()
            + r.files().checkpoints().stream().mapToLong(Checkpoint::length).sum();
    return new MemberFigures(
        r.serving(),
        r.watermark(),
        Math.max(0, r.lastSeq() - r.watermark()),
        log.size(),
        logBytes,
        r.files().checkpoints().size(),
        allBytes - logBytes,
        r.files().builds());
  }
}
