package org.salus.sim.fault.wrong;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;

/**
 * A wrong member that, as M0, fills replicas up from one that does not reach so far. What it lacks
 * is zeros.
 */
final class FillsWithZeros extends WrongMember {

  FillsWithZeros(Given given, Random random) {
    super(given, random);
  }

  @Override
  void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(
        e instanceof MemberEffect.RecoverSegments r
            ? new MemberEffect.RecoverSegments(
                r.segments().stream().map(FillsWithZeros::fromTheShortest).toList(),
                r.required(),
                r.permission())
            : e);
  }

  private static MemberEffect.ToEqualize fromTheShortest(MemberEffect.ToEqualize s) {
    int shortest = s.valid().indexOf(Collections.min(s.valid()));
    return new MemberEffect.ToEqualize(s.end(), shortest, s.valid());
  }
}
