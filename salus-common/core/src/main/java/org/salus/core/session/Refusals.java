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
 * session can say that it exists. A log has lost what was committed only if all its members say so.
 * A member that sends such a refusal without that proof is reported to the master once per epoch.
 */
final class Refusals {
  private final SessionContext c;

  /** The lanes of a region's present epoch that were reported, by region. */
  private final Map<Integer, TreeSet<Integer>> accused = new TreeMap<>();

  /**
   * The lanes of a region's present epoch that say that they lack what was committed, by region.
   */
  private final Map<Integer, TreeSet<Integer>> lost = new TreeMap<>();

  Refusals(SessionContext c) {
    this.c = c;
  }

  /** Forgets a region's refusals: it has other members. */
  void replaced(int region) {
    accused.remove(region);
    lost.remove(region);
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
  void onLost(int region, Refused x, long committed) {
    accuse(
        region,
        x.lane(),
        "says that its log ends at seq "
            + x.seq()
            + ", before what all lanes had committed; that is seq "
            + committed);
    TreeSet<Integer> lanes = lost.computeIfAbsent(region, r -> new TreeSet<>());
    if (x.seq() < committed) {
      lanes.add(x.lane());
    }
    if (c.rules.isLost(lanes)) {
      String all =
          "the logs of all members end before seq " + committed + " that all lanes had committed";
      c.out(new SessionEffect.Report(region, -1, all + SessionContext.BRING_BACK));
      c.ended = SessionError.INTEGRITY;
      return;
    }
    int top = new TreeShape(c.spec.regionBlocks()).top();
    for (int lane = 0; lane < Lanes.COUNT; lane++) {
      if (!lanes.contains(lane)) { // the answer is only a refusal or an unused page
        c.send(
            region,
            lane,
            new PageRequest(c.nextId(), c.epochs[region], c.mountEpoch, committed, c.acked, top, 0),
            null);
      }
    }
  }

  private void accuse(int region, int lane, String what) {
    if (accused.computeIfAbsent(region, r -> new TreeSet<>()).add(lane)) {
      c.report(region, lane, true, what);
    }
  }
}
