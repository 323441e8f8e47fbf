package org.salus.core.scan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;

/**
 * A member's scan of its own replicas of a region's log before an epoch opens (paper §4.4, phase
 * 2). It finds how far each replica is valid, and how far an invalid one proves that the log went
 * on. A joiner without a replica looks at those of nodes outside the epoch. Only joiners report
 * these: a node left out on a guess may be right, and one that stayed may be wrong. The host
 * reports all segments, the oldest first. Not thread-safe.
 *
 * <p>A segment that was begun by an epoch which never served is no part of the log: nobody has
 * voted on anything in it, and holders that were away then may have more of the segments before. Of
 * the log before the epoch that served last, just what that epoch's members have certified counts
 * ({@link LogBefore}).
 *
 * <p>In an epoch without a holder, everybody looks at the holders' replicas, whatever it has
 * itself: what a recovery that never served has left here may be short, and a wrong server may have
 * put it here.
 */
public final class LogScan {

  /**
   * @param ends how far this member's replica of each segment is valid, in bytes
   * @param elsewhere how far replicas on nodes that are no members are valid; only a joiner reports
   *     them
   * @param proven how far the log went in segments of which this member's replica is not valid so
   *     far
   * @param before the log before the epoch that served last: other members' ends must fit it, too
   */
  public record Found(
      List<SegmentEnd> ends,
      List<SegmentEnd> elsewhere,
      List<SegmentEnd> proven,
      LogBefore before) {
    /** Of a region without files. */
    public static final Found NOTHING = new Found(List.of(), List.of(), List.of(), LogBefore.NONE);
  }

  private final List<SegmentEnd> ends = new ArrayList<>();
  private final List<SegmentEnd> proven = new ArrayList<>();

  /** How far others' replicas are valid, in bytes, by node and segment. */
  private final Map<String, Map<Long, Long>> others = new TreeMap<>();

  /** The segments of which others' replicas were looked at. */
  private final Set<Long> looked = new TreeSet<>();

  /** The holders' nodes that have answered for every open segment so far; null before the first. */
  private Set<String> whole;

  private final int served;
  private final LogBefore before;
  private final boolean joins;
  private final boolean mustReach;
  private int newestEpoch;

  /** The scan of a log of which every epoch counts. */
  public LogScan() {
    this(Integer.MAX_VALUE, LogBefore.NONE, false, false);
  }

  /**
   * The scan of a member of this epoch.
   *
   * @param before the log before the epoch that served last, as the NameNode knows it
   */
  public LogScan(EpochLink link, LogBefore before, Member self) {
    this(link.served(), before, !link.isHolder(self), link.mustReach(self));
  }

  /**
   * @param served the epoch that served last; later ones never will
   * @param before the log before it
   * @param joins whether this member is no holder. Then its replica need not have what its server
   *     has written
   * @param mustReach whether it takes part only if the log has reached the epoch that served last
   */
  LogScan(int served, LogBefore before, boolean joins, boolean mustReach) {
    this.served = served;
    this.before = before;
    this.joins = joins;
    this.mustReach = mustReach;
  }

  /**
   * Whether a segment is no part of the log, whatever is in it. Then nobody need look at it. It is
   * reported as empty.
   */
  public boolean skips(long segment) {
    boolean isVoid = before.isVoid(segment);
    if (isVoid) {
      ends.add(new SegmentEnd(segment, 0));
    }
    return isVoid;
  }

  /** The epoch at a segment's head; 0 if there is none, or if it has not served. */
  public int epochOf(LogRecord head) {
    return head == null || isVoid(head, served) ? 0 : head.epoch();
  }

  /**
   * Whether an epoch that has not served has begun a segment. What stands there is certified, and
   * no part of the log.
   *
   * @param head the record at the segment's head, or null
   * @param served the epoch that served last
   */
  public static boolean isVoid(LogRecord head, int served) {
    return head != null && head.epoch() > served;
  }

  /**
   * How far this server has written a segment, wherever its replica was, or null. The log was
   * certified up to there.
   */
  private LogReader.Mark counting(LogReader.Mark known) {
    return known == null || known.epoch() > served ? null : known;
  }

  /**
   * Takes a segment whose file is complete. It counts to its end, because replay will find a valid
   * replica.
   */
  public void finished(SegmentEnd s) {
    ends.add(s);
  }

  /**
   * Reads a segment whose file is open.
   *
   * @param reader the reader of this member's replica, from its beginning
   * @param length the length of this member's replica in bytes
   * @param written how far this server has written it and need not read it again, or null
   * @return false if it could not be read through: then the member cannot say where its log ends,
   *     and takes no part
   */
  public boolean open(LogReader reader, long length, LogReader.Mark written) {
    LogRecord head = reader.next();
    if (isVoid(head, served)) {
      ends.add(new SegmentEnd(reader.segment(), 0));
      return true;
    }
    LogReader.Mark known = counting(written);
    if (head != null) {
      wentOn(head);
    }
    long most = Math.min(length, before.limit(reader.segment()));
    if (!joins && known != null && known.end() > reader.end() && known.end() <= most) {
      reader.resume(known);
    }
    readOn(reader);
    newestEpoch = Math.max(newestEpoch, reader.epoch());
    ends.add(new SegmentEnd(reader.segment(), reader.end()));
    if (reader.end() < most) {
      proves(reader.segment(), reader.end(), reader.provenEnd(most));
    }
    proves(reader.segment(), reader.end(), known == null ? 0 : known.end());
    return reader.isReadThrough();
  }

  /**
   * Takes what holders' nodes say of a segment whose file is open, before this member's own replica
   * of it, in an epoch without a holder.
   *
   * @param answered the holders' nodes that nobody writes any more, and that have a replica, have
   *     none, or have one that a recovery went on without
   * @param replicas readers of their replicas, by node, from the beginning
   */
  public void holders(long segment, Set<String> answered, Map<String, LogReader> replicas) {
    if (whole == null) {
      whole = new TreeSet<>(answered);
    } else {
      whole.retainAll(answered);
    }
    looked.add(segment);
    replicas.forEach(this::look);
  }

  /** A holder's node has not answered while its replica was read. */
  public void failed(String node) {
    whole.remove(node);
  }

  /**
   * Whether an epoch without a holder may open on what was read (paper §4.2.2): one and the same
   * holder's node has answered for every open segment, and its log has no hole.
   */
  public boolean hasWholeHolder() {
    return whole == null || !whole.isEmpty();
  }

  /**
   * Whether this member may take part on what was read: it is a joiner beside a holder, or the log
   * has reached the epoch that served last. In an epoch without a holder, a holder's log must also
   * have no hole.
   *
   * @param newestFinished the newest epoch in segments whose files are complete
   */
  public boolean mayTakePart(int newestFinished, LogRules rules) {
    return hasWholeHolder()
        && (!mustReach || rules.hasReached(Math.max(newestFinished, newestEpoch), served));
  }

  /**
   * Takes a segment whose file is open, and of which this member has no replica.
   *
   * @param known how far this server has written it, or null
   * @param leftBehind whether this member has a replica that a recovery went on without, so the
   *     segment was not empty
   * @param elsewhere readers of replicas on nodes that are no members, by node, from the beginning;
   *     empty if this member is no joiner. Replicas that a recovery went on without are not among
   *     them
   */
  public void missing(
      long segment, LogReader.Mark known, boolean leftBehind, Map<String, LogReader> elsewhere) {
    ends.add(new SegmentEnd(segment, 0));
    looked.add(segment);
    elsewhere.forEach(this::look);
    LogReader.Mark written = counting(known);
    boolean isGone = leftBehind && (known == null || written != null);
    proves(segment, 0, Math.max(isGone ? 1 : 0, written == null ? 0 : written.end()));
  }

  /**
   * Takes what this member's server has of a segment on the DataNode that it leaves, before the
   * replica on its new one. That counts like any replica outside the epoch.
   *
   * @param replicas readers of that replica and others on nodes that are no members, by node
   */
  public void left(long segment, Map<String, LogReader> replicas) {
    looked.add(segment);
    replicas.forEach(this::look);
  }

  /** Reads a node's replica. Records behind a hole in the node's log do not count. */
  private void look(String node, LogReader reader) {
    Map<Long, Long> its = others.computeIfAbsent(node, n -> new TreeMap<>());
    LogRecord head = reader.next();
    if (head == null || isVoid(head, served)) {
      return;
    }
    boolean hasHole =
        named(head).stream()
            .anyMatch(
                s ->
                    looked.contains(s.segment()) && its.getOrDefault(s.segment(), 0L) < s.length());
    if (!hasHole) {
      readOn(reader);
      newestEpoch = Math.max(newestEpoch, reader.epoch());
      its.put(reader.segment(), reader.end());
    } else if (whole != null) {
      whole.remove(node);
    }
  }

  /** Reads as far as a segment may count. Certified ends are ends of records. */
  private void readOn(LogReader reader) {
    long limit = before.limit(reader.segment());
    while (reader.end() < limit && reader.next() != null) {
      continue;
    }
  }

  /**
   * Notes that the log went so far, of which this member's replica is valid up to {@code valid}.
   */
  private void proves(long segment, long valid, long reached) {
    long end = Math.min(reached, before.limit(segment));
    if (end > valid) {
      proven.add(new SegmentEnd(segment, end));
    }
  }

  /** Notes a manifest at a segment's head: when it was certified, all of the log before it was. */
  private void wentOn(LogRecord manifest) {
    for (SegmentEnd s : named(manifest)) {
      ends.stream()
          .filter(own -> own.segment() == s.segment())
          .forEach(own -> proves(own.segment(), own.length(), s.length()));
    }
  }

  private static List<SegmentEnd> named(LogRecord manifest) {
    return ManifestBody.of(manifest).segments();
  }

  /** The result, once the host has reported all segments. */
  public Found found() {
    Map<Long, Long> longest = new TreeMap<>();
    others
        .values()
        .forEach(its -> its.forEach((segment, end) -> longest.merge(segment, end, Math::max)));
    return new Found(
        ends,
        longest.entrySet().stream().map(e -> new SegmentEnd(e.getKey(), e.getValue())).toList(),
        proven,
        before);
  }

  /** The newest epoch in the replicas that were read; 0 if there is none. */
  public int newestEpoch() {
    return newestEpoch;
  }
}
