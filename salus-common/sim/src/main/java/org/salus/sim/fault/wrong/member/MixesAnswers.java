package org.salus.sim.fault.wrong.member;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.message.Message;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PageReply;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.StatusReply;

/**
 * A wrong member that gives right answers to the wrong request. It answers one read, one request
 * for a page and one question for its state with what another one asked for, and a mount with what
 * it has told an earlier one.
 */
public final class MixesAnswers extends WrongMember {
  private static final int MOST = 32;

  private final Deque<MemberEffect.ServeGet> gets = new ArrayDeque<>();
  private final Deque<Message> answers = new ArrayDeque<>();

  public MixesAnswers(Given given, Random random) {
    super(given, random);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof MemberEffect.ServeGet g) {
      MemberEffect.ServeGet of = old(gets, g);
      out.add(
          new MemberEffect.ServeGet(
              g.to(), g.id(), g.lane(), of.first(), of.count(), of.pieces(), of.checkpoints()));
    } else if (e instanceof Send s) {
      out.add(new Send(s.to(), other(s.message()), s.payload()));
    } else {
      out.add(e);
    }
  }

  /** This one or an earlier one; remembers this one. */
  private <T> T old(Deque<T> earlier, T now) {
    earlier.addFirst(now);
    if (earlier.size() > MOST) {
      earlier.removeLast();
    }
    return List.copyOf(earlier).get(random.nextInt(earlier.size()));
  }

  private Message other(Message m) {
    if (!(m instanceof PageReply
        || m instanceof StatusReply
        || m instanceof MountReply
        || m instanceof ResolveReply)) {
      return m;
    }
    Message of = old(answers, m);
    if (m instanceof PageReply p && of instanceof PageReply q) {
      return new PageReply(p.id(), q.lane(), q.children());
    }
    if (m instanceof MountReply p && of instanceof MountReply q) {
      return new MountReply(p.epoch(), p.lane(), p.mountEpoch(), q.summary());
    }
    if (m instanceof ResolveReply p && of instanceof ResolveReply q) {
      return new ResolveReply(p.epoch(), p.lane(), p.mountEpoch(), p.prefix(), q.regionRoot());
    }
    return m instanceof StatusReply && of instanceof StatusReply ? of : m;
  }
}
