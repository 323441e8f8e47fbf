package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;

/** A wrong member that votes for records that it does not give to its DataNode. */
public final class Withholds extends WrongMember {

  public Withholds(Given given, Random random) {
    super(given, random);
  }

  private boolean begun;

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    begun |= e instanceof MemberEffect.Append && random.nextInt(20) == 0;
    if (begun && e instanceof MemberEffect.Append a) {
      out.addAll(
          onDurable(a.at().plus(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum()), 0));
    } else {
      out.add(e);
    }
  }
}
