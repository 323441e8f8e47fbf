package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that asks the other DataNodes to give their replicas new stamps, with stamps that
 * the NameNode has given out and with invented ones. It throws its own replicas away, so that
 * nobody is to have them.
 */
public final class RaisesStamps extends WrongMember {
  /** While an epoch opens, it does so at one of so many effects. */
  private static final int OFTEN = 2;

  /** Later it does so at one of so many. */
  private static final int SELDOM = 8;

  private final Levers levers;

  public RaisesStamps(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    boolean isOpening =
        e instanceof MemberEffect.ScanLog
            || e instanceof MemberEffect.RecoverSegments
            || e instanceof MemberEffect.ReplayLog;
    boolean isLater = e instanceof MemberEffect.Append || e instanceof MemberEffect.Tidy;
    if (isOpening && random.nextInt(OFTEN) == 0 || isLater && random.nextInt(SELDOM) == 0) {
      levers.raiseStamps(seat.name(), seat.region(), random.nextBoolean());
      if (random.nextBoolean()) {
        levers.logReplicas(seat.name()).forEach(r -> r.truncate(0));
      }
    }
  }
}
