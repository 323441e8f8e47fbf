package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetRequest;

/**
 * A wrong member that says its lanes have committed more than they have. It also tells other
 * members, as a session would, that all lanes have.
 */
public final class CommitsAhead extends WrongMember {

  public CommitsAhead(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof Send s && s.message() instanceof Commit c) {
      Commit ahead =
          new Commit(
              c.leader(),
              c.epoch(),
              c.lane(),
              c.to(),
              c.mountEpoch(),
              c.view(),
              c.seq() + random.nextInt(200),
              new byte[0],
              c.votes());
      for (int lane = 0; lane < Lanes.COUNT; lane++) {
        GetRequest asSession =
            new GetRequest(0, seat.epoch(), c.mountEpoch(), 0, ahead.seq(), 0, 1);
        out.add(new Send(new Endpoint.Member(seat.region(), lane), asSession, null));
      }
      out.add(new Send(s.to(), ahead.sign(spec.id(), signer), null));
    } else {
      out.add(e);
    }
  }
}
