package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.Chain;

/** A wrong member that forwards a record after its successor. */
public final class ForwardsOutOfOrder extends WrongMember {

  public ForwardsOutOfOrder(Given given, Random random) {
    super(given, random);
  }

  private MemberEffect held;

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof Send s
        && s.message() instanceof Chain
        && held == null
        && random.nextBoolean()) {
      held = e;
      return;
    }
    out.add(e);
    if (e instanceof Send s && s.message() instanceof Chain && held != null) {
      out.add(held);
      held = null;
    }
  }
}
