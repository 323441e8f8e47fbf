package org.salus.sim.fault.wrong;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.Effect;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.MessageCodec;
import org.salus.core.message.Refusal;

/** Signs little, votes NO, and answers that it is busy. */
final class Refuses extends WrongMember {

  Refuses(Seat seat, Random random) {
    super(seat, random);
  }

  @Override
  void instead(Effect e, List<Effect> out) {
    if (e instanceof Effect.Send s && s.message() instanceof Chain && random.nextBoolean()) {
      return;
    }
    if (e instanceof Effect.Send s && s.message() instanceof Vote v && random.nextBoolean()) {
      Vote no = new Vote(v.region(), v.lane(), v.mountEpoch(), v.view(), v.first(), v.last(), Refusal.DAMAGED, new byte[0]);
      byte[] signature = laneSignature(v.lane(), MessageCodec.signed(no));
      out.add(new Effect.Send(s.to(), new Vote(v.region(), v.lane(), v.mountEpoch(), v.view(), v.first(), v.last(), Refusal.DAMAGED, signature), null));
    } else {
      out.add(e);
    }
  }
}
