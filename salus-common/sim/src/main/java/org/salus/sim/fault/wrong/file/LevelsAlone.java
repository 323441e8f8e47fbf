package org.salus.sim.fault.wrong.file;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.wrong.member.WrongMember;

/**
 * A wrong member that, as M0, sometimes recovers its own replicas only. When its epoch is to serve,
 * it tells the NameNode that its own replicas alone count, or that all count under a stamp that
 * they do not have. HDFS would drop those of the others. Then it finishes the segments before the
 * right ones count.
 */
public final class LevelsAlone extends WrongMember {

  private final Levers levers;

  public LevelsAlone(Given given, Levers levers, Random random) {
    super(given, random);
    this.levers = levers;
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.RegisterEpoch r && random.nextInt(3) == 0) {
      levers.count(seat.name(), seat.region(), r.proof());
      return;
    }
    if (e instanceof MemberEffect.RegisterEpoch r) {
      levers.miscount(seat.name(), seat.region(), random.nextBoolean(), r.proof());
      out.add(tidy(r.proof()));
    }
    out.add(
        e instanceof MemberEffect.RecoverSegments r && random.nextBoolean()
            ? new MemberEffect.RecoverSegments(r.segments(), List.of(seat.place()), r.permission())
            : e);
  }
}
