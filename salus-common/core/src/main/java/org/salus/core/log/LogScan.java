package org.salus.core.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a member finds in its own replicas of a region's log before an epoch opens (paper §4.4,
 * phase 2): how far each is valid, and where one that is not proves that the log went on. Who joins
 * looks, where it has no own replica, for those of nodes that the epoch is without, and nobody else
 * tells of them: who was left out on a guess may be right, and who goes on wrong. The host tells of
 * all segments, the oldest first. Not thread-safe.
 */
public final class LogScan {

  /**
   * @param ends how far each segment is valid
   * @param elsewhere how far replicas are valid on nodes that are no members; told only by who
   *     joins
   * @param proven how far the log has come in segments of which the own replica is not valid so far
   */
  public record Found(List<SegmentEnd> ends, List<SegmentEnd> elsewhere, List<SegmentEnd> proven) {}

  private final List<SegmentEnd> ends = new ArrayList<>();
  private final List<SegmentEnd> proven = new ArrayList<>();

  /** By node and segment, how far others' replicas are valid. */
  private final Map<String, Map<Long, Long>> others = new TreeMap<>();

  private final Set<Long> missing = new TreeSet<>();
  private int newestEpoch;

  /**
   * A segment whose file is complete: it counts to its end, for replay will find a replica that is
   * valid.
   */
  public void finished(SegmentEnd s) {
    ends.add(s);
  }

  /**
   * Reads a segment whose file is open.
   *
   * @param reader of the own replica, from its beginning
   * @param length of the own replica in bytes
   * @param known how far this server has written it and need not read it again, or null
   */
  public void open(LogReader reader, long length, LogReader.Mark known) {
    LogRecord head = reader.next();
    if (head != null) {
      wentOn(head);
    }
    if (known != null && known.end() > reader.end() && known.end() <= length) {
      reader.resume(known);
    }
    readOn(reader);
    newestEpoch = Math.max(newestEpoch, reader.epoch());
    ends.add(new SegmentEnd(reader.segment(), reader.end()));
    proves(reader.segment(), reader.end(), reader.provenEnd(length));
    proves(reader.segment(), reader.end(), known == null ? 0 : known.end());
  }

  /**
   * A segment whose file is open, and of which this member has no replica.
   *
   * @param known how far this server has written it, or null
   * @param leftBehind whether this member has one that a recovery went on without: so the segment
   *     was not empty
   * @param elsewhere by node, replicas that no recovery went on without, of nodes that are not
   *     members, from their beginning; none where this member does not join
   */
  public void missing(
      long segment, LogReader.Mark known, boolean leftBehind, Map<String, LogReader> elsewhere) {
    ends.add(new SegmentEnd(segment, 0));
    missing.add(segment);
    elsewhere.forEach(this::look);
    proves(segment, 0, Math.max(leftBehind ? 1 : 0, known == null ? 0 : known.end()));
  }

  /** Where a node has a hole in its log, what is behind that is none. */
  private void look(String node, LogReader reader) {
    Map<Long, Long> its = others.computeIfAbsent(node, n -> new TreeMap<>());
    LogRecord head = reader.next();
    if (head != null
        && named(head).stream()
            .noneMatch(
                s ->
                    missing.contains(s.segment())
                        && its.getOrDefault(s.segment(), 0L) < s.length())) {
      readOn(reader);
      its.put(reader.segment(), reader.end());
    }
  }

  private static void readOn(LogReader reader) {
    while (reader.next() != null) {
      continue;
    }
  }

  private void proves(long segment, long valid, long reached) {
    if (reached > valid) {
      proven.add(new SegmentEnd(segment, reached));
    }
  }

  /** The manifest at a segment's head was certified when all of the log before it was. */
  private void wentOn(LogRecord manifest) {
    for (SegmentEnd s : named(manifest)) {
      if (ends.stream()
          .anyMatch(own -> own.segment() == s.segment() && own.length() < s.length())) {
        proven.add(s);
      }
    }
  }

  private static List<SegmentEnd> named(LogRecord manifest) {
    return ManifestBody.of(manifest).segments();
  }

  /** What there is, when the host has told of all segments. */
  public Found found() {
    Map<Long, Long> longest = new TreeMap<>();
    others
        .values()
        .forEach(its -> its.forEach((segment, end) -> longest.merge(segment, end, Math::max)));
    return new Found(
        ends,
        longest.entrySet().stream().map(e -> new SegmentEnd(e.getKey(), e.getValue())).toList(),
        proven);
  }

  /** The newest epoch in the own replicas that were read, 0 if there is none. */
  public int newestEpoch() {
    return newestEpoch;
  }
}
