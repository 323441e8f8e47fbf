package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.MountBody;
import org.salus.core.message.Message;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.StatusQuery;

/**
 * A wrong member that refuses what sessions send, for any possible reason, under its own signature.
 * It names mounts that it has seen, and forged ones.
 */
public final class RefusesFalsely extends WrongMember {
  private static final byte[] NOTHING = {};

  private long newest = 1;
  private byte[] seen = NOTHING;

  public RefusesFalsely(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    if (m instanceof MountRequest r) {
      seen = MountBody.proof(r.epoch(), r.signature());
    }
    boolean asked = from instanceof Endpoint.Session && !(m instanceof StatusQuery);
    if (asked && random.nextInt(3) == 0) {
      Endpoint.Session session = (Endpoint.Session) from;
      newest = Math.max(newest, session.mountEpoch());
      return seat.lanes().stream()
          .map(lane -> (MemberEffect) new Send(session, refusal(lane, session.mountEpoch()), null))
          .toList();
    }
    return super.onMessage(from, m, payload, now);
  }

  private Refused refusal(int lane, long mountEpoch) {
    Refusal why = Refusal.values()[random.nextInt(Refusal.values().length)];
    long seq = why == Refusal.FENCED ? newest + random.nextInt(2) : random.nextInt(100);
    return new Refused(
            seat.epoch(), lane, mountEpoch, random.nextInt(100), why, seq, proof(seq), NOTHING)
        .sign(seat.region(), signer);
  }

  private byte[] proof(long mountEpoch) {
    return switch (random.nextInt(3)) {
      case 0 -> NOTHING;
      case 1 -> seen;
      default ->
          MountBody.proof(
              seat.epoch(),
              signer.sign(
                  Signer.laneName(seat.region(), seat.lanes().get(0)),
                  ByteBuffer.wrap(new MountBody(mountEpoch).encode())));
    };
  }
}
