package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.Permission.Deed;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that, as M0, leaves the oldest segment that a manifest discards where it is, and
 * deletes the next ones. Then all servers crash, so that everybody reads what is there.
 */
public final class LeavesGaps extends WrongMember {
  /** More than the NameNode needs for that, in nanoseconds. */
  private static final long GONE = 50_000_000;

  private final Levers levers;

  /** The oldest segment that is discarded and not deleted, or 0. */
  private long left;

  public LeavesGaps(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.Tidy t && t.primary() && !t.manifest().segments().isEmpty()) {
      long oldest = t.manifest().segments().get(0).segment();
      if (left == 0 && oldest > 1) {
        left = oldest - 1;
      } else if (left > 0 && oldest - 1 > left) {
        for (long s = left + 1; s < oldest; s++) {
          levers.askNameNode(seat.region(), Deed.DELETE, s, 0, t.permission());
        }
        levers.after(GONE, levers::crashAll);
      }
    } else {
      out.add(e);
    }
  }
}
