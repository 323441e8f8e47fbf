package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.MessageCodec;

/** A wrong member that keeps chain messages back, votes NO, and claims that others voted NO. */
public final class Refuses extends WrongMember {

  public Refuses(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof Send s && s.message() instanceof Chain && random.nextBoolean()) {
      return;
    }
    if (e instanceof Send s && s.message() instanceof Vote v && random.nextBoolean()) {
      out.add(new Send(s.to(), no(v), null));
      return;
    }
    if (e instanceof Send s
        && s.message() instanceof Commit c
        && s.to() instanceof Endpoint.Session
        && random.nextBoolean()) {
      Vote others =
          new Vote(
              random.nextInt(spec.regionCount()),
              seat.epoch(),
              c.lane(),
              c.leader(),
              c.mountEpoch(),
              c.view(),
              c.seq() + 1,
              c.seq() + 1,
              new byte[32],
              Refusal.DAMAGED,
              new byte[0]);
      others = others.withSignature(laneSignature(c.lane(), MessageCodec.signed(others)));
      out.add(new Send(s.to(), new Abort(c.leader(), others), null));
    }
    out.add(e);
  }

  private Vote no(Vote v) {
    return v.refusing(Refusal.DAMAGED).sign(spec.id(), signer);
  }
}
