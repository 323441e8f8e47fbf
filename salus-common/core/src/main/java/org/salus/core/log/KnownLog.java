package org.salus.core.log;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.tree.InnerTree;
import org.salus.core.wire.MalformedException;

/**
 * The records of a region's log, without their payloads, that a server has had certified and on its
 * disk, from the oldest segment that is not flushed on, and the roots of the pages in its
 * checkpoints. The host hands it on from the member of one epoch to that of the next, which need
 * not read these again: so a region goes on soon after a failure, however much of its log is not
 * flushed. What is of an open segment is of no use once an epoch has been without the server. A
 * server that is to join reads the log into it beforehand. Not thread-safe.
 */
public final class KnownLog {

  /**
   * Bytes of headers; what comes when there are more has to be read. Enough for half a gigabyte in
   * batches of one block.
   */
  static final long MOST_BYTES = 32 << 20;

  /** Of one segment. */
  private static final class Part {
    final List<byte[]> headers = new ArrayList<>();
    List<String> members = List.of();
    int epoch;
    long end;

    /** As far as this server has written its own replica. */
    LogReader.Mark written;

    LogReader.Mark mark() {
      return new LogReader.Mark(end, members, epoch);
    }
  }

  /**
   * How a log is to be replayed.
   *
   * @param known its first records
   * @param rest the segments that have to be read
   * @param from how far the first of these is known, or null
   */
  public record Replay(List<LogRecord> known, List<SegmentEnd> rest, LogReader.Mark from) {}

  private final TreeMap<Long, Part> parts = new TreeMap<>();
  private long bytes;
  private InnerTree checkpoints;

  /** The roots of the pages in checkpoints, as they will be when the epoch ends. */
  public void keep(InnerTree ofCheckpoints) {
    checkpoints = ofCheckpoints;
  }

  /** What was kept last, or null. */
  public InnerTree checkpoints() {
    return checkpoints;
  }

  /** The next record is on this server's disk. */
  public void wrote(LogRecord r) {
    Part p = add(r);
    if (p != null
        && (r.at().offset() == 0 || p.written != null && p.written.end() == r.at().offset())) {
      p.written = p.mark();
    }
  }

  /** The next record was read, from whichever replica. */
  public void read(LogRecord r) {
    add(r);
    if (r.type() == Type.MANIFEST) {
      tidy(ManifestBody.of(r));
    }
  }

  /** What is known already changes nothing, and what there is no room for; then null. */
  private Part add(LogRecord r) {
    Position at = r.at();
    Part p =
        at.offset() == 0
            ? parts.computeIfAbsent(at.segment(), s -> new Part())
            : parts.get(at.segment());
    if (p == null || at.offset() != p.end || bytes >= MOST_BYTES) {
      return null;
    }
    p.members = r.type() == Type.MANIFEST ? ManifestBody.of(r).members() : p.members;
    p.headers.add(r.header());
    p.end += r.length(p.members.size());
    p.epoch = r.epoch();
    bytes += r.header().length;
    return p;
  }

  /**
   * How far this server has written its own replica of a segment, or null. Only while the log is
   * scanned may the host ask.
   */
  public LogReader.Mark written(long segment) {
    Part p = parts.get(segment);
    return p == null ? null : p.written;
  }

  /** The manifest is certified and on disk: no replay needs what was flushed before it. */
  public void tidy(ManifestBody m) {
    forget(s -> s <= m.lastFlushed());
  }

  private void forget(LongPredicate segments) {
    parts.keySet().removeIf(segments::test);
    bytes = parts.values().stream().flatMap(p -> p.headers.stream()).mapToLong(h -> h.length).sum();
  }

  /** The log is these segments now, at least as long as what its members had on their disks. */
  public Replay replay(List<SegmentEnd> log) {
    forget(s -> log.isEmpty() || s < log.get(0).segment());
    if (parts.entrySet().stream()
        .anyMatch(
            e ->
                log.stream()
                    .noneMatch(s -> s.segment() == e.getKey() && s.length() >= e.getValue().end))) {
      forget(s -> true); // the disk has lost what it had
    }
    List<LogRecord> known = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      SegmentEnd s = log.get(i);
      Part p = parts.get(s.segment());
      if (p != null) {
        p.headers.forEach(h -> known.add(decode(h)));
      }
      boolean flushed = p == null && known.isEmpty() && !parts.isEmpty();
      if (!flushed && (p == null || p.end < s.length())) {
        return new Replay(known, log.subList(i, log.size()), p == null ? null : p.mark());
      }
    }
    return new Replay(known, List.of(), null);
  }

  private static LogRecord decode(byte[] header) {
    try {
      return LogRecord.decode(header);
    } catch (MalformedException e) {
      throw new IllegalStateException("a known record cannot be read", e);
    }
  }
}
