package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;
import org.salus.core.wire.MalformedException;

/**
 * A wrong member that answers for epochs that are over. It votes early, as the member that had its
 * lane in the epoch before of any participant, and commits by such votes what it leads. It answers
 * mounts for the epoch before.
 */
public final class AnswersForOtherEpochs extends WrongMember {

  public AnswersForOtherEpochs(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    LogRecord r = forwarded(e);
    out.add(e instanceof Send s ? new Send(s.to(), earlier(s.message()), s.payload()) : e);
    if (r != null && r.type() == LogRecord.Type.PUT) {
      try {
        SubBatch b = SubBatch.decode(r.content());
        seat.lanes().forEach(lane -> out.addAll(answers(b, lane)));
      } catch (MalformedException impossible) {
        throw new IllegalStateException("it was read before", impossible);
      }
    }
  }

  private List<MemberEffect> answers(SubBatch b, int lane) {
    List<Vote> votes =
        b.participants().regions().stream()
            .filter(p -> p != b.participants().leader())
            .map(p -> before(b, p, lane))
            .toList();
    if (b.participants().leader() != seat.region().index()) {
      Endpoint leader =
          new Endpoint.Member(new RegionId(spec.id(), b.participants().leader()), lane);
      return votes.stream().map(v -> (MemberEffect) new Send(leader, v, null)).toList();
    }
    return List.of(
        confirmation(
            b, lane, votes.stream().map(v -> new Yes(v.region(), v.signature())).toList()));
  }

  /** The YES of the member that had this lane in the epoch before. */
  private Vote before(SubBatch b, int region, int lane) {
    return new Vote(
            region,
            b.participants().epochOf(region) - 1,
            lane,
            b.participants().leader(),
            b.mountEpoch(),
            b.view(),
            b.first(),
            b.last(),
            b.volumeRoot(),
            null,
            new byte[0])
        .sign(spec.id(), signer);
  }

  private Message earlier(Message m) {
    if (m instanceof MountReply r && random.nextBoolean()) {
      return new MountReply(r.epoch() - 1, r.lane(), r.mountEpoch(), r.summary());
    }
    return m instanceof ResolveReply r && random.nextBoolean()
        ? new ResolveReply(r.epoch() - 1, r.lane(), r.mountEpoch(), r.prefix(), r.regionRoot())
        : m;
  }
}
