package org.salus.sim.fault.wrong.member;

import java.util.List;
import java.util.Random;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.ResolveReply;

/**
 * A wrong member that answers a mount with another log or another root. It lies always or now and
 * then, perhaps in the name of the other lanes too.
 */
public final class LiesAtMount extends WrongMember {

  private final boolean always;
  private final boolean forAll;

  public LiesAtMount(Given given, Random random) {
    super(given, random);
    this.always = random.nextBoolean();
    this.forAll = random.nextBoolean();
  }

  private boolean lies() {
    return always || random.nextBoolean();
  }

  private List<Integer> lanes(int own) {
    return forAll ? List.of(0, 1, 2) : List.of(own);
  }

  @Override
  protected void instead(MemberEffect e, List<MemberEffect> out) {
    if (e instanceof Send s && s.message() instanceof MountReply m && lies()) {
      LogSummary l = m.summary();
      long acked = Math.max(0, l.acked() - random.nextInt(20));
      long more = random.nextBoolean() ? 0 : random.nextInt(20);
      LogSummary other =
          new LogSummary(
              new Durable(l.durable().seq() + more, l.durable().root()),
              acked,
              random.nextBoolean() ? List.of() : l.prepared());
      lanes(m.lane())
          .forEach(
              lane ->
                  out.add(
                      new Send(
                          s.to(), new MountReply(m.epoch(), lane, m.mountEpoch(), other), null)));
    } else if (e instanceof Send s && s.message() instanceof ResolveReply r && lies()) {
      byte[] other = flipped(r.regionRoot(), random);
      lanes(r.lane())
          .forEach(
              lane ->
                  out.add(
                      new Send(
                          s.to(),
                          new ResolveReply(r.epoch(), lane, r.mountEpoch(), r.prefix(), other),
                          null)));
    } else {
      out.add(e);
    }
  }
}
