package org.salus.master;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.zk.AccusationRecord;

/**
 * Decides which of the sessions' accusations against members of one volume count (§4.2.2, §4.3). A
 * wrong session may accuse right members. So in any 10 minutes at most two members of a region can
 * be accused, though each of them repeatedly. For one thread.
 */
final class Accusations {
  /** The most members that can be accused in a while, because two of three members may be wrong. */
  private static final int MOST = 2;

  private static final long WHILE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Signer signer;
  private static final Set<Cause> CAUSES =
      EnumSet.of(Cause.WRONG_ANSWER, Cause.DISAGREED, Cause.STALLED);

  /** When an accusation last counted, in nanoseconds, by region and accused node. */
  private final Map<Integer, Map<String, Long>> counted = new HashMap<>();

  Accusations(Signer signer) {
    this.signer = signer;
  }

  /**
   * Returns why an accusation does not count, or null when it counts. One that counts is noted.
   *
   * @param said the accusation with its signature
   * @param volume the volume's id
   * @param region the region that the accusation came for
   * @param rrs the region's record now
   * @param writer the mount epoch of the volume's writer, or null when there is none
   * @param now the time in nanoseconds
   */
  String refusal(
      AccusationRecord said, long volume, int region, RrsRecord rrs, Long writer, long now) {
    Accusation a = said.accusation();
    if (a.volume() != volume
        || a.region() != region
        || a.lane() < 0
        || a.lane() >= Lanes.COUNT
        || !CAUSES.contains(a.cause())) {
      return "it is about something else";
    }
    if (!a.isSigned(said.signature(), signer)) {
      return "its signature is wrong";
    }
    if (writer == null || a.mountEpoch() != writer) {
      return "mount " + a.mountEpoch() + " is not the volume's writer";
    }
    if (a.epoch() != rrs.epoch() || rrs.state() != RrsRecord.State.SERVING) {
      return "epoch " + a.epoch() + " is over: now it is " + rrs.epoch() + ", " + rrs.state();
    }
    String accused = accused(a, rrs);
    Map<String, Long> times = counted.computeIfAbsent(region, r -> new HashMap<>());
    times.values().removeIf(t -> now - t >= WHILE_NANOS);
    if (times.size() >= MOST && !times.containsKey(accused)) {
      return MOST
          + " members were replaced within "
          + TimeUnit.NANOSECONDS.toMinutes(WHILE_NANOS)
          + " minutes for what a session said: perhaps it is the session that is wrong";
    }
    times.put(accused, now);
    return null;
  }

  /** Returns the node of the accused member. */
  static String accused(Accusation a, RrsRecord rrs) {
    return rrs.members().get(Lanes.member(a.lane(), rrs.members().size())).node();
  }
}
