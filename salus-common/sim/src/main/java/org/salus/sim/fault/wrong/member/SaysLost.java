package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;

/**
 * A wrong member that says to each session that its log has lost everything, and does its part all
 * the same.
 */
public final class SaysLost extends WrongMember {
  private static final byte[] NOTHING = {};

  public SaysLost(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    List<MemberEffect> all = new ArrayList<>(super.onMessage(from, m, payload, now));
    boolean asked = m instanceof PutRequest || m instanceof GetRequest || m instanceof PageRequest;
    if (asked && from instanceof Endpoint.Session session) {
      for (int lane : seat.lanes()) {
        Refused says =
            new Refused(
                seat.epoch(), lane, session.mountEpoch(), 0, Refusal.LOST, 0, NOTHING, NOTHING);
        all.add(new Send(session, says.sign(seat.region(), signer), null));
      }
    }
    return all;
  }
}
