package org.salus.sim.fault.wrong.member;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;

/**
 * A wrong member that, as M0, has replicas cut anywhere, also below what their members have found
 * valid. It fills them up from one that does not reach so far. What it lacks is zeros.
 */
public final class FillsWithZeros extends WrongMember {

  public FillsWithZeros(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(
        e instanceof MemberEffect.RecoverSegments r
            ? new MemberEffect.RecoverSegments(
                r.segments().stream().map(this::fromTheShortest).toList(),
                r.required(),
                r.permission())
            : e);
  }

  private MemberEffect.ToEqualize fromTheShortest(MemberEffect.ToEqualize s) {
    List<Long> valid = s.valid().stream().map(this::atMost).toList();
    return new MemberEffect.ToEqualize(s.end(), valid.indexOf(Collections.min(valid)), valid);
  }

  /** The length itself, none, or anything between. */
  private long atMost(long length) {
    return switch (random.nextInt(3)) {
      case 0 -> length;
      case 1 -> 0;
      default -> random.nextLong(length + 1);
    };
  }
}
