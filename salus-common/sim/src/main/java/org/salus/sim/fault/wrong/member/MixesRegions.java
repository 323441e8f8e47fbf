package org.salus.sim.fault.wrong.member;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.SubBatch;
import org.salus.core.member.MemberRules;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.wire.MalformedException;

/**
 * A wrong M0 that logs what a session has sent to another region of the same server, in place of
 * what it has sent to this one.
 */
public final class MixesRegions extends WrongMember {

  /** What the server has lately seen in any of its regions. */
  public static final class Seen {
    private static final int MOST = 64;

    /** A genuine sub-batch, with its region. */
    private record Part(int region, SubBatch batch, PutRequest request, ByteBuffer payload) {}

    private final Deque<Part> parts = new ArrayDeque<>();

    private void add(Part p) {
      parts.addLast(p);
      if (parts.size() > MOST) {
        parts.removeFirst();
      }
    }
  }

  /** A right member's checks would refuse what this one does. */
  private static final MemberRules LAX =
      new MemberRules() {
        @Override
        public boolean isFromSession(
            LogRequest request, long mountEpoch, byte[] signature, Signer signer) {
          return true;
        }

        @Override
        public boolean isParticipant(SubBatch b, int region, int epoch) {
          return true;
        }
      };

  private final Seen seen;

  public MixesRegions(Given given, Random random, Seen seen) {
    super(given, LAX, random);
    this.seen = seen;
  }

  @Override
  public List<MemberEffect> onMessage(Endpoint from, Message m, ByteBuffer payload, long now) {
    try {
      if (m instanceof PutRequest p) {
        SubBatch b = SubBatch.decode(p.content());
        Seen.Part other = random.nextInt(3) == 0 ? partOfAnotherRegion(b) : null;
        seen.add(new Seen.Part(seat.region().index(), b, p, payload));
        if (other != null) {
          PutRequest o = other.request();
          return super.onMessage(
              from,
              new PutRequest(p.epoch(), o.content(), o.payloadCrc(), o.signature()),
              other.payload(),
              now);
        }
      } else if (m instanceof Chain c) {
        LogRecord r = LogRecord.decode(c.header());
        if (r.type() == LogRecord.Type.PUT) {
          PutRequest p = new PutRequest(r.epoch(), r.content(), r.payloadCrc(), r.origin());
          seen.add(new Seen.Part(r.region().index(), SubBatch.decode(r.content()), p, payload));
        }
      }
    } catch (MalformedException altered) {
      // Nothing to mix: the message goes on as it is.
    }
    return super.onMessage(from, m, payload, now);
  }

  /** The newest one that would fit into this region's log as well as {@code b} does; or null. */
  private Seen.Part partOfAnotherRegion(SubBatch b) {
    return seen.parts.stream()
        .filter(p -> p.region() != seat.region().index())
        .filter(p -> p.batch().mountEpoch() == b.mountEpoch() && p.batch().view() == b.view())
        .filter(p -> p.batch().prevNum() == b.prevNum() && p.batch().last() >= b.last())
        .reduce((first, second) -> second)
        .orElse(null);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
  }
}
