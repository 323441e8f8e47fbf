package org.salus.core.session;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Lanes;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.tree.TreeShape;

/**
 * Judges what refusals prove. One wrong member cannot end a session. Only a newer mount's own
 * session can say that it exists. A log has lost what was committed only if all members of one
 * epoch say so. A member that sends such a refusal without that proof is reported to the master
 * once per epoch. The others get some time to say the same: after a power cut all of them are
 * right.
 */
final class Refusals {
  /**
   * The time for which a session that is being closed waits for the note of what it has lost, in
   * nanoseconds.
   */
  static final long CLOSING_NANOS = 5_000_000_000L;

  /**
   * The time for which any session waits for that note, in nanoseconds. A lasting refusal must not
   * keep the volume from others.
   */
  static final long NOTE_NANOS = 60_000_000_000L;

  /** A member that says alone that its log lacks something is accused after so many questions. */
  static final int ROUNDS = 3;

  private final SessionContext c;

  /** The lanes of a region's present epoch that were reported, by region. */
  private final Map<Integer, TreeSet<Integer>> accused = new TreeMap<>();

  /**
   * A lane says that its log lacks what was committed.
   *
   * @param epoch the epoch whose member says so
   * @param end the seq at which its log ends
   * @param accusation how it is reported if the others do not say the same
   */
  private record Lacking(int epoch, long end, long saidAt, String accusation) {}

  /** What the lanes have said last that they lack, by region and lane. */
  private final Map<Integer, TreeMap<Integer, Lacking>> lost = new TreeMap<>();

  /**
   * How the members that have not said so were asked last.
   *
   * @param committed the seq that they were asked for
   */
  private record Asked(long committed, long at) {}

  /** By region. */
  private final Map<Integer, Asked> asked = new TreeMap<>();

  /** What this session has lost, until that is noted durably; null if there is nothing to note. */
  private SessionEffect.WentBack unnoted;

  /** When it was found lost. */
  private long lostAt;

  Refusals(SessionContext c) {
    this.c = c;
  }

  /** A region has other members, of whom none is accused yet. */
  void replaced(int region) {
    accused.remove(region);
  }

  /** Whether the member that acts in the lane has signed this refusal. */
  boolean isSigned(int region, Refused x) {
    return x.lane() >= 0 && x.lane() < Lanes.COUNT && x.isSigned(c.spec.regionId(region), c.signer);
  }

  void onFenced(int region, Refused x) {
    if (c.rules.showsNewerMount(x, c.spec.regionId(region), c.mountEpoch, c.signer)) {
      c.ended = SessionError.FENCED;
    } else {
      accuse(
          region,
          x.lane(),
          "says that a newer mount has fenced mount " + c.mountEpoch + ", and does not show it");
    }
  }

  /**
   * @param committed the region's last seq that all lanes have committed
   */
  void onLost(int region, Refused x, long committed, long now) {
    String what =
        "says that its log ends at seq "
            + x.seq()
            + ", before what all lanes had committed; that is seq "
            + committed;
    int epoch = c.epochs[region];
    TreeMap<Integer, Lacking> lanes = lost.computeIfAbsent(region, r -> new TreeMap<>());
    if (x.seq() >= committed) {
      accuse(region, x.lane(), what);
      return;
    }
    if (hasSaid(lanes, x.lane(), epoch)) {
      return; // onTick asks the others again
    }
    lanes.put(x.lane(), new Lacking(epoch, x.seq(), now, what));
    if (isLost(lanes, epoch)) {
      String all =
          "the logs of all members end before seq " + committed + " that all lanes had committed";
      c.out(new SessionEffect.Report(region, -1, all + SessionContext.BRING_BACK));
      c.ended = SessionError.INTEGRITY;
      tell(lanes.values().stream().mapToLong(Lacking::end).max().orElseThrow(), now);
      return;
    }
    ask(region, committed, now);
  }

  /** Asks the members that have not said that their logs lack something. */
  private void ask(int region, long committed, long now) {
    asked.put(region, new Asked(committed, now));
    int epoch = c.epochs[region];
    int top = new TreeShape(c.spec.regionBlocks()).top();
    for (int lane = 0; lane < Lanes.COUNT; lane++) {
      if (!hasSaid(lost.get(region), lane, epoch)) { // the answer is a refusal or an unused page
        c.send(
            region,
            lane,
            new PageRequest(c.nextId(), epoch, c.mountEpoch, committed, c.acked, top, 0),
            null);
      }
    }
  }

  private boolean isLost(Map<Integer, Lacking> lanes, int epoch) {
    Map<Integer, Integer> said = new TreeMap<>();
    lanes.forEach((lane, x) -> said.put(lane, x.epoch));
    return c.rules.isLost(said, epoch);
  }

  private static boolean hasSaid(Map<Integer, Lacking> lanes, int lane, int epoch) {
    Lacking x = lanes.get(lane);
    return x != null && x.epoch == epoch;
  }

  /**
   * Asks the silent members again: a question or its answer may be lost. Accuses members that go on
   * saying alone that their logs lack something.
   */
  void onTick(long now) {
    long resend = c.config.resendAfterNanos();
    lost.forEach(
        (region, lanes) -> {
          lanes.forEach(
              (lane, x) -> {
                if (x.epoch == c.epochs[region]
                    && c.rules.isOverdue(now - x.saidAt, ROUNDS * resend)) {
                  accuse(region, lane, x.accusation);
                }
              });
          Asked last = asked.get(region);
          if (isUnsettled(region) && c.rules.isOverdue(now - last.at, resend)) {
            ask(region, last.committed, now);
          }
        });
  }

  /** Whether a member that says alone that its log lacks something is not accused yet. */
  private boolean isUnsettled(int region) {
    TreeSet<Integer> settled = accused.getOrDefault(region, new TreeSet<>());
    return lost.get(region).entrySet().stream()
        .anyMatch(e -> e.getValue().epoch == c.epochs[region] && !settled.contains(e.getKey()));
  }

  /**
   * Says what this session has lost. Other regions may have lost more, so only what is durable is
   * there for certain.
   *
   * @param held the last seq that a log of the region has
   */
  private void tell(long held, long now) {
    SessionEffect.WentBack loss =
        new SessionEffect.WentBack(
            c.rules.certain(held, c.durable.seq()), c.rules.acknowledged(c.acked, c.needed), true);
    c.out(loss);
    unnoted = c.rules.awaitsNote(loss) ? loss : null;
    lostAt = now;
  }

  /** It is noted durably what this session has lost. */
  void noted(SessionEffect.WentBack loss) {
    unnoted = loss.equals(unnoted) ? null : unnoted;
  }

  /** Nobody waits for the note any more. */
  void giveUpNote() {
    unnoted = null;
  }

  /** Whether the end waits until it is noted what is lost. */
  boolean awaitNote() {
    return unnoted != null;
  }

  /** Whether the note has taken longer than who closes the session waits. */
  boolean isNoteLate(long now) {
    return unnoted != null && now - lostAt >= CLOSING_NANOS;
  }

  /** Whether the note has taken longer than any session waits. */
  boolean isNoteOverdue(long now) {
    return unnoted != null && now - lostAt >= NOTE_NANOS;
  }

  private void accuse(int region, int lane, String what) {
    if (accused.computeIfAbsent(region, r -> new TreeSet<>()).add(lane)) {
      c.report(region, lane, true, what);
    }
  }
}
