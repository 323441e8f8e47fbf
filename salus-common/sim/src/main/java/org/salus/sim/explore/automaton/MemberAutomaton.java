package org.salus.sim.explore.automaton;

import java.util.ArrayList;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.event.MemberEvents;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.member.RegionMember;
import org.salus.core.message.Message;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.LogScan;

/** A {@link RegionMember} as an automaton. */
public final class MemberAutomaton implements Automaton {

  public record Start() {}

  public record Durable(Position end) {}

  public record Scanned(LogScan.Found found) {}

  public record Recovered(boolean ok) {}

  public record Replayed(List<LogRecord> records, List<OwnReplica> own) {}

  public record Created(long segment, boolean ok) {}

  public record Registered(boolean ok) {}

  /** The nanoseconds by which a tick advances the clock: more than any time-out of a member. */
  private static final long STEP = 1_000_000_000L;

  private final RegionId region;
  private final int place;
  private final MemberEvents member;
  private long now;

  public MemberAutomaton(RegionId region, int place, MemberEvents member) {
    this.region = region;
    this.place = place;
    this.member = member;
  }

  @Override
  public List<Object> apply(Object event) {
    List<Object> outs = new ArrayList<>();
    for (MemberEffect e : effects(event)) {
      if (e instanceof Send x) {
        if (x.message() instanceof Message.Commit c) {
          outs.add(new Note.Committed(c.lane(), c.mountEpoch(), c.seq()));
        }
        outs.add(new Parcel(new Endpoint.Member(region, place), x.to(), x.message(), x.payload()));
      } else {
        outs.add(e);
      }
    }
    return outs;
  }

  private List<MemberEffect> effects(Object event) {
    if (event instanceof Parcel p) {
      return member.onMessage(
          p.from(), p.message(), p.payload() == null ? null : p.payload().duplicate(), now);
    } else if (event instanceof Durable d) {
      return member.onDurable(d.end(), now);
    } else if (event instanceof Scanned s) {
      return member.onScanned(s.found(), now);
    } else if (event instanceof Recovered r) {
      return member.onRecovered(r.ok(), now);
    } else if (event instanceof Replayed r) {
      r.records().forEach(x -> member.onReplay(x, now));
      r.own().forEach(x -> member.onOwnReplica(x, now));
      return member.onReplayed(now);
    } else if (event instanceof Created c) {
      return member.onSegmentCreated(c.segment(), c.ok(), false, now);
    } else if (event instanceof Registered r) {
      return member.onRegistered(r.ok(), now);
    } else if (event instanceof Tick) {
      now += STEP;
      return member.onTick(now);
    } else if (event instanceof Start) {
      return member.start(now);
    }
    throw new IllegalStateException("no event of a member: " + event);
  }
}
