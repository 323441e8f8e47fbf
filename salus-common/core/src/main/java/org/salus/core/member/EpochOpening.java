package org.salus.core.member;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.OpenBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.OpeningPhase;
import org.salus.core.scan.LogScan;

/**
 * How far the opening of an epoch has come (paper §4.4, phase 2):
 *
 * <pre>
 * SCANNING   --own replicas read------------------> AGREEING
 * AGREEING   --OPEN certified (M0: has all ends)--> RECOVERING (M0 equalizes)
 * RECOVERING --done; M0 tells the others----------> REPLAYING
 * REPLAYING  --own log replayed-------------------> REPLAYED
 * REPLAYED   --MANIFEST at the next segment's head-> SERVING    (M0 creates that first)
 * </pre>
 */
final class EpochOpening {
  /** The greatest number of segments that the log may have gained since a member's last scan. */
  private static final long MOST_AHEAD = 8;

  private final List<String> members;
  private final Map<Integer, LogEnds> ends = new TreeMap<>();
  private final TreeSet<Integer> replayed = new TreeSet<>();
  private OpeningPhase phase = OpeningPhase.SCANNING;
  private LogScan.Found found;
  private OpenBody agreed;
  private boolean recovered;
  private boolean created;

  EpochOpening(List<String> members) {
    this.members = members;
  }

  OpeningPhase phase() {
    return phase;
  }

  void moveTo(OpeningPhase next) {
    phase = next;
  }

  void scanned(LogScan.Found log) {
    found = log;
    phase = OpeningPhase.AGREEING;
  }

  /** The result of this member's scan; null before it has ended. */
  LogScan.Found found() {
    return found;
  }

  /**
   * At M0: takes one member's segment ends. Returns the agreement once all members have told
   * theirs, else null.
   */
  OpenBody offer(LogEnds told) {
    if (agreed == null) {
      ends.put(told.lane(), told); // once M0 has proposed, later claims change nothing
    }
    if (phase != OpeningPhase.AGREEING || agreed != null || ends.size() < members.size()) {
      return null;
    }
    TreeMap<Long, Long> longest = new TreeMap<>();
    ends.values().stream()
        .flatMap(EpochOpening::valid)
        .forEach(s -> longest.merge(s.segment(), s.length(), Math::max));
    long next = longest.isEmpty() ? 1 : longest.lastKey() + 1;
    List<SegmentEnd> recover = new ArrayList<>();
    longest.forEach(
        (segment, length) -> {
          if (length > 0) {
            recover.add(new SegmentEnd(segment, length));
          }
        });
    return new OpenBody(members, recover, next);
  }

  private static Stream<SegmentEnd> valid(LogEnds told) {
    return Stream.concat(told.ends().stream(), told.elsewhere().stream());
  }

  /**
   * At M0: the first member that claims more of the log than the epoch that served last has
   * certified, or null. Every right member has clipped what it has to that. It names the claim,
   * too.
   */
  LogEnds tooMuch() {
    return ends.values().stream()
        .filter(told -> valid(told).anyMatch(this::isTooMuch))
        .findFirst()
        .orElse(null);
  }

  private boolean isTooMuch(SegmentEnd s) {
    return s.length() > found.before().limit(s.segment());
  }

  /** At M0: how to equalize the replicas of a segment. */
  MemberEffect.ToEqualize toEqualize(SegmentEnd s) {
    Stream<LogEnds> own = ends.values().stream().filter(e -> e.ends().contains(s));
    LogEnds holder =
        Stream.concat(own, ends.values().stream().filter(e -> e.elsewhere().contains(s)))
            .findFirst()
            .orElseThrow();
    return new MemberEffect.ToEqualize(
        s,
        holder.lane(),
        ends.values().stream().map(told -> length(told.ends(), s.segment())).toList());
  }

  /**
   * Whether this member may sign the agreement: nothing that its scan found would be lost, and no
   * more of the log before the epoch that served last would count than that one has certified.
   */
  boolean maySign(OpenBody open) {
    if (phase == OpeningPhase.SCANNING
        || !open.members().equals(members)
        || agreed != null && !agreed.equals(open)
        || open.recovered().stream().anyMatch(this::isTooMuch)) {
      return false;
    }
    List<SegmentEnd> own =
        Stream.concat(found.ends().stream(), found.elsewhere().stream()).toList();
    return own.stream()
            .allMatch(
                s ->
                    s.segment() < open.next()
                        && length(open.recovered(), s.segment()) >= s.length())
        && open.next() <= own.stream().mapToLong(SegmentEnd::segment).max().orElse(0) + MOST_AHEAD;
  }

  private static long length(List<SegmentEnd> segments, long segment) {
    return segments.stream()
        .filter(s -> s.segment() == segment)
        .mapToLong(SegmentEnd::length)
        .findFirst()
        .orElse(0);
  }

  /**
   * A segment that the agreement would cut below its certified length, because no member's replica
   * is valid up to there; or null. Segments whose files are gone are not needed any more.
   */
  SegmentEnd lost(OpenBody open) {
    Stream<SegmentEnd> certified =
        found.before().segments().stream()
            .filter(s -> found.ends().stream().anyMatch(own -> own.segment() == s.segment()));
    return Stream.concat(certified, found.proven().stream())
        .filter(s -> length(open.recovered(), s.segment()) < s.length())
        .findFirst()
        .orElse(null);
  }

  /** The agreed end of a segment that a later manifest names with another end, or null. */
  SegmentEnd contradicted(List<SegmentEnd> named) {
    return agreed.recovered().stream()
        .filter(
            a ->
                named.stream()
                    .anyMatch(s -> a.segment() == s.segment() && a.length() != s.length()))
        .findFirst()
        .orElse(null);
  }

  /** The agreed end of a segment. */
  SegmentEnd agreed(long segment) {
    return new SegmentEnd(segment, length(agreed.recovered(), segment));
  }

  void agree(OpenBody open) {
    agreed = open;
  }

  /** The agreement that this member has signed, or null. */
  OpenBody agreed() {
    return agreed;
  }

  void markRecovered() {
    recovered = true;
  }

  boolean isRecovered() {
    return recovered;
  }

  void markCreated() {
    created = true;
  }

  boolean isCreated() {
    return created;
  }

  /** At M0: notes that a member has replayed. */
  void replayed(int lane) {
    replayed.add(lane);
  }

  /** At M0: whether all members have replayed. */
  boolean haveAllReplayed() {
    return replayed.size() == members.size();
  }
}
