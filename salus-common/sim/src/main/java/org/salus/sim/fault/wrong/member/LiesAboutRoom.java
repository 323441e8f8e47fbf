package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.StatusReply;

/** A wrong member that says that there is room, and refuses most changes for want of it. */
public final class LiesAboutRoom extends WrongMember {
  private static final byte[] NOTHING = {};

  /** It lets one change of so many pass. */
  private static final int PASSES = 20;

  public LiesAboutRoom(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    boolean tells = e instanceof Send s && s.message() instanceof StatusReply r && r.full();
    out.add(tells ? hasRoom((Send) e) : e);
  }

  private static Send hasRoom(Send s) {
    StatusReply r = (StatusReply) s.message();
    StatusReply lie =
        new StatusReply(
            r.id(),
            r.epoch(),
            r.lane(),
            r.serving(),
            r.watermark(),
            r.files(),
            r.view(),
            r.lastSeq(),
            r.settled(),
            r.root(),
            r.manifest(),
            false);
    return new Send(s.to(), lie, s.payload());
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (m instanceof PutRequest
        && from instanceof Endpoint.Session session
        && random.nextInt(PASSES) > 0) {
      return List.of(new Send(session, refusal(session.mountEpoch()), null));
    }
    return super.onMessage(from, m, payload, now);
  }

  private Refused refusal(long mountEpoch) {
    return new Refused(seat.epoch(), 0, mountEpoch, 0, Refusal.NO_SPACE, 0, NOTHING, NOTHING)
        .sign(seat.region(), signer);
  }
}
