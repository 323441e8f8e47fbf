package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Vote;
import org.salus.core.wire.MalformedException;

/**
 * A wrong member that votes for a sub-batch as soon as it has seen it, and leads as if all had
 * voted.
 */
public final class VotesEarly extends WrongMember {

  public VotesEarly(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    out.add(e);
    LogRecord r = forwarded(e);
    if (r != null && r.type() == LogRecord.Type.PUT) {
      try {
        SubBatch b = SubBatch.decode(r.content());
        seat.lanes()
            .forEach(
                lane ->
                    out.add(
                        b.participants().leader() == seat.region().index()
                            ? confirmation(b, lane, List.of())
                            : vote(lane, b)));
      } catch (MalformedException impossible) {
        throw new IllegalStateException("it was read before", impossible);
      }
    }
  }

  private MemberEffect vote(int lane, SubBatch b) {
    Vote vote = Vote.on(b, seat.region().index(), lane, null).sign(spec.id(), signer);
    return new Send(
        new Endpoint.Member(new RegionId(spec.id(), b.participants().leader()), lane), vote, null);
  }
}
