package org.salus.sim.explore.automaton;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.session.VolumeSession;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker.Content;
import org.salus.sim.check.Violation;

/** A {@link VolumeSession} and its application's requests as an automaton. */
public final class SessionAutomaton implements Automaton {

  /** The master says that a region's RRS serves. */
  public record Rrs(int region, int epoch, int members) {}

  /** The master opens an epoch, and holders are away. */
  public record Opening(int region, int epoch, int members) {}

  /** The nanoseconds by which a tick advances the clock: more than any time-out of a session. */
  private static final long STEP = 20_000_000_000L;

  private record Issued(ScriptedRequest request, ByteBuffer buffer) {}

  private final VolumeSpec spec;
  private final long mount;
  private final VolumeSession session;
  private final Hashes hashes = new Hashes();
  private final TreeMap<Long, Issued> outstanding = new TreeMap<>();
  private long now;

  public SessionAutomaton(VolumeSpec spec, long mount, VolumeSession session) {
    this.spec = spec;
    this.mount = mount;
    this.session = session;
  }

  @Override
  public boolean isIdle() {
    return session.mounted() && outstanding.isEmpty();
  }

  @Override
  public List<Object> apply(Object event) {
    List<Object> outs = new ArrayList<>();
    List<SessionEffect> effects;
    if (event instanceof Parcel p) {
      effects =
          session.onMessage(
              p.from(), p.message(), p.payload() == null ? null : p.payload().duplicate(), now);
    } else if (event instanceof Rrs r) {
      effects = session.onRrs(r.region(), r.epoch(), r.members(), now);
    } else if (event instanceof Opening o) {
      effects = session.onOpening(o.region(), o.epoch(), o.members(), now);
    } else if (event instanceof ScriptedRequest r) {
      effects = issue(r, outs);
    } else if (event instanceof Tick) {
      now += STEP;
      effects = session.onTick(now);
    } else {
      throw new IllegalStateException("no event of a session: " + event);
    }
    Effects handler = new Effects(outs);
    effects.forEach(e -> e.performBy(handler));
    return outs;
  }

  private List<SessionEffect> issue(ScriptedRequest r, List<Object> outs) {
    Issued i = new Issued(r, r.kind() == 'z' ? null : r.buffer(spec.blockSize()));
    outstanding.put(r.id(), i);
    outs.add(new Note.Issued(mount, r, contents(i)));
    return switch (r.kind()) {
      case 'w' -> session.write(r.id(), r.block(), i.buffer(), false, now);
      case 'z' -> session.zero(r.id(), r.block(), r.count(), false, now);
      default -> session.read(r.id(), r.block(), i.buffer(), now);
    };
  }

  private List<Content> contents(Issued i) {
    List<Content> all = new ArrayList<>();
    int size = spec.blockSize();
    ByteBuffer zeros = ByteBuffer.allocate(size);
    for (int n = 0; n < i.request().count(); n++) {
      ByteBuffer block = i.buffer() == null ? zeros : i.buffer().slice(n * size, size);
      all.add(
          new Content(i.request().block() + n, block.equals(zeros) ? null : hashes.leaf(block)));
    }
    return all;
  }

  /** Turns effects into what the automaton returns. */
  private final class Effects implements SessionEffect.Handler {
    private final List<Object> outs;

    Effects(List<Object> outs) {
      this.outs = outs;
    }

    @Override
    public void send(Send x) {
      if (x.message() instanceof Message.PutRequest p && x.to() instanceof Endpoint.Member m) {
        outs.add(sent(p, m.region().index()));
      }
      outs.add(
          new Parcel(new Endpoint.Session(spec.id(), mount), x.to(), x.message(), x.payload()));
    }

    @Override
    public void done(SessionEffect.Done x) {
      Issued i = outstanding.remove(x.id());
      outs.add(new Note.Done(mount, i.request(), contents(i)));
    }

    @Override
    public void mounted(SessionEffect.Mounted x) {
      outs.add(new Note.Mounted(mount, session.mountedPrefix()));
    }

    @Override
    public void failed(SessionEffect.Failed x) {
      outstanding.remove(x.id());
      mustBeFenced("request " + x.id(), x.why());
    }

    @Override
    public void ended(SessionEffect.Ended x) {
      mustBeFenced("the session", x.why());
      outs.add(new Over());
    }

    @Override
    public void lookUp(SessionEffect.LookUp x) {
      outs.add(x); // only the world knows which epoch serves
    }

    @Override
    public void wentBack(SessionEffect.WentBack x) {
      outs.add(x); // only the world knows whether the power was cut
      session.noted(x, now).forEach(e -> e.performBy(this));
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap x) {
      throw new IllegalStateException("no request asks where zeros are: " + x);
    }

    @Override
    public void stalled(Stalled x) {
      outs.add(x); // only the world knows whether anything is out of reach
    }

    @Override
    public void disagree(SessionEffect.Disagree x) {
      throw new Violation(
          "P4 unanimity",
          "with no faulty member, region " + x.region() + " lane " + x.lane() + ": " + x.what());
    }

    @Override
    public void report(SessionEffect.Report x) {
      throw new Violation(
          "P1 freshness",
          "with no faulty member, region " + x.region() + " lane " + x.lane() + ": " + x.what());
    }

    @Override
    public void unreadable(SessionEffect.Unreadable x) {
      throw new Violation(
          "P1 freshness",
          "with no faulty member, nobody in region "
              + x.region()
              + " has blocks "
              + x.blocks()
              + ": "
              + x.what());
    }

    @Override
    public void readable(SessionEffect.Readable x) {
      throw new IllegalStateException("no blocks were unreadable: " + x);
    }
  }

  private void mustBeFenced(String what, SessionError why) {
    if (why != SessionError.FENCED) {
      throw new Violation("P7 liveness", what + " of mount " + mount + " ended: " + why);
    }
  }

  private Note.Sent sent(Message.PutRequest p, int region) {
    try {
      SubBatch b = SubBatch.decode(p.content());
      byte[] zeroBlock = hashes.leaf(ByteBuffer.allocate(spec.blockSize()));
      List<Content> all = new ArrayList<>();
      for (Put put : b.puts()) {
        for (int i = 0; i < put.count(); i++) {
          byte[] leaf = put.leafHash();
          all.add(
              new Content(
                  spec.block(region, put.local() + i),
                  leaf == null || Arrays.equals(leaf, zeroBlock) ? null : leaf));
        }
      }
      return new Note.Sent(region, b, all);
    } catch (MalformedException e) {
      throw new IllegalStateException("the session's sub-batch cannot be read", e);
    }
  }
}
