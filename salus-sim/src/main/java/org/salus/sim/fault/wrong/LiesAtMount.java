package org.salus.sim.fault.wrong;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.Effect;
import org.salus.core.message.Message.LogSummary;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.ResolveReply;

/** Answers a mount with another log, or another root: always, or now and then. */
final class LiesAtMount extends WrongMember {

  private final boolean always;

  LiesAtMount(Seat seat, Random random) {
    super(seat, random);
    this.always = random.nextBoolean();
  }

  private boolean lies() {
    return always || random.nextBoolean();
  }

  @Override
  void instead(Effect e, List<Effect> out) {
    if (e instanceof Effect.Send s && s.message() instanceof MountReply m && lies()) {
      LogSummary l = m.summary();
      long acked = Math.max(0, l.acked() - random.nextInt(20));
      long durable = random.nextBoolean() ? l.durable() : l.durable() + random.nextInt(20);
      LogSummary other = new LogSummary(durable, acked, l.baseLast(), l.baseRoot(), random.nextBoolean() ? List.of() : l.prepared());
      out.add(new Effect.Send(s.to(), new MountReply(m.epoch(), m.lane(), m.mountEpoch(), other), null));
    } else if (e instanceof Effect.Send s && s.message() instanceof ResolveReply r && lies()) {
      out.add(new Effect.Send(s.to(), new ResolveReply(r.epoch(), r.lane(), r.mountEpoch(), r.prefix(), flipped(r.regionRoot(), random)), null));
    } else {
      out.add(e);
    }
  }
}
