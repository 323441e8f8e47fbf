package org.salus.regionserver;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.salus.core.effect.MemberEffect;
import org.salus.core.event.WaitingRequests;
import org.salus.core.log.Position;
import org.salus.host.zk.WaitsRecord.Cause;
import org.salus.regionserver.meter.Waits;

/**
 * Sorts the requests that wait at a member by what they wait for. What a member calls unwritten may
 * not have come to its DataNode: appends wait here until their segment is open. Thread-safe.
 */
final class MemberWaits {
  /** Where the appends begin for which the DataNode has not been asked, in order. */
  private final Queue<Position> unasked = new ConcurrentLinkedQueue<>();

  /** An append waits for its segment. */
  void queued(MemberEffect.Append a) {
    unasked.add(a.at());
  }

  /** The DataNode has been asked for the append that has waited longest. */
  void asked() {
    unasked.remove();
  }

  /** Whether an append waits for its segment. */
  boolean anyQueued() {
    return !unasked.isEmpty();
  }

  /**
   * @param reads the GETs that are being read
   * @param isGone whether nobody takes an answer any more, whatever the member keeps
   */
  Map<Cause, Collection<?>> byCause(
      WaitingRequests waiting, Set<Waits.Read> reads, Predicate<Waits.Read> isGone) {
    Set<Waits.Read> uncommitted = new HashSet<>();
    waiting.uncommitted().forEach(m -> uncommitted.add(Waits.Read.of(m)));
    Set<Waits.Read> unread = new HashSet<>(reads);
    waiting.unloaded().forEach(m -> unread.add(Waits.Read.of(m)));
    uncommitted.removeIf(isGone);
    unread.removeIf(isGone);
    Position first = unasked.peek();
    Predicate<Position> isAsked = end -> first == null || end.compareTo(first) <= 0;
    List<Position> appended = waiting.unwritten().stream().filter(isAsked).toList();
    List<Position> queued = waiting.unwritten().stream().filter(isAsked.negate()).toList();
    return Map.of(
        Cause.WATERMARK,
        uncommitted,
        Cause.DISK,
        unread,
        Cause.CHAIN,
        waiting.uncertified(),
        Cause.OPEN,
        queued,
        Cause.APPEND,
        appended);
  }
}
