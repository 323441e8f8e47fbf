package org.salus.core.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRecord.Type;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Position;
import org.salus.core.log.Relied;
import org.salus.core.log.SegmentEnd;
import org.salus.core.tree.InnerTree;
import org.salus.core.wire.MalformedException;

/**
 * A server's memory of a region's log, kept from epoch to epoch. It holds certified records that
 * the server has written or read, without payloads, from the oldest unflushed segment on. It also
 * holds the roots of the pages in checkpoints. The host hands it on from the member of one epoch to
 * that of the next, which need not read these records again. So a region serves again soon after a
 * failure, however much of its log is not flushed. Records of an open segment are useless once an
 * epoch has been without the server. A server that is about to join reads the log into it
 * beforehand. Not thread-safe.
 */
public final class KnownLog {

  /**
   * The most bytes of headers to keep; records beyond must be read again. It is enough for half a
   * gigabyte in batches of one block.
   */
  static final long MOST_BYTES = 32 << 20;

  /** The known records of one segment. */
  private static final class Part {
    final List<byte[]> headers = new ArrayList<>();
    List<String> members = List.of();
    int epoch;
    long end;

    /** How far this server has written its own replica; null if it has not. */
    LogReader.Mark written;

    LogReader.Mark mark() {
      return new LogReader.Mark(end, members, epoch);
    }
  }

  /**
   * The plan for the replay of a log.
   *
   * @param known the log's first records
   * @param rest the segments that must be read
   * @param from how far the first of {@code rest} is known, or null
   */
  public record Replay(List<LogRecord> known, List<SegmentEnd> rest, LogReader.Mark from) {}

  private final TreeMap<Long, Part> parts = new TreeMap<>();
  private long bytes;
  private InnerTree checkpoints;

  /** What the volume's user has relied on, as this server has heard last; null before. */
  private Relied relied;

  /** Keeps what the volume's user relies on. */
  public void keep(Relied newest) {
    relied = newest;
  }

  /**
   * What the volume's user has relied on in an earlier epoch, or null. By now it may be more, but
   * never less while that session has no successor.
   */
  public Relied relied() {
    return relied;
  }

  /**
   * Keeps the tree of the checkpoints. Its owner goes on changing it, so it is as of the epoch's
   * end.
   */
  public void keep(InnerTree ofCheckpoints) {
    checkpoints = ofCheckpoints;
  }

  /** The tree that was kept last, or null. */
  public InnerTree checkpoints() {
    return checkpoints;
  }

  /** Adds the next record, which this server has written with its certificate. */
  public void wrote(LogRecord r) {
    Part p = add(r);
    if (p != null
        && (r.at().offset() == 0 || p.written != null && p.written.end() == r.at().offset())) {
      p.written = p.mark();
    }
  }

  /** Adds the next record, which was read from any replica. */
  public void read(LogRecord r) {
    add(r);
    if (r.type() == Type.MANIFEST) {
      tidy(ManifestBody.of(r));
    }
  }

  /**
   * Adds a record and returns its segment. Returns null, and changes nothing, if it is known
   * already or there is no room.
   */
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
   * How far this server has written its own replica of a segment, or null. The host may ask only
   * while the log is scanned.
   */
  public LogReader.Mark written(long segment) {
    Part p = parts.get(segment);
    return p == null ? null : p.written;
  }

  /**
   * Forgets what was flushed before a manifest that is certified and written: no replay needs it.
   */
  public void tidy(ManifestBody m) {
    forget(s -> s <= m.checkpoints().lastFlushed());
  }

  private void forget(LongPredicate segments) {
    parts.keySet().removeIf(segments::test);
    bytes = parts.values().stream().flatMap(p -> p.headers.stream()).mapToLong(h -> h.length).sum();
  }

  /**
   * Splits the agreed log into records that are known and segments that must be read. The log is at
   * least as long as what its members had written.
   */
  public Replay replay(List<SegmentEnd> log) {
    forget(s -> log.isEmpty() || s < log.get(0).segment());
    if (parts.entrySet().stream()
        .anyMatch(
            e ->
                log.stream()
                    .noneMatch(s -> s.segment() == e.getKey() && s.length() >= e.getValue().end))) {
      forget(s -> true); // the disk has lost written bytes
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
