package org.salus.sim.fault.wrong;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;

/**
 * A wrong member that, as M0, recovers its own replicas only. It tells the NameNode that they alone
 * count, or that it has recovered all members' replicas. HDFS would drop those of the others.
 */
final class LevelsAlone extends WrongMember {

  LevelsAlone(Given given, Random random) {
    super(given, random);
  }

  @Override
  void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(
        e instanceof MemberEffect.RecoverSegments r
            ? new MemberEffect.RecoverSegments(r.segments(), List.of(seat.place()), r.permission())
            : e);
  }
}
