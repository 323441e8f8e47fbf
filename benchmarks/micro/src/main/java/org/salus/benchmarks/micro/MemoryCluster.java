package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.core.scan.LogScan;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * A session and the three members of each region in one thread. Messages arrive, and appends are
 * durable, in the order in which they were sent. Logs are not kept. A read finds the same block
 * everywhere, so the written blocks must be that one.
 */
final class MemoryCluster {
  /**
   * Nothing is ever flushed, because nothing could be read from the log. The index takes about 5 MB
   * for each 64 MiB written.
   */
  private static final MemberConfig CONFIG = new MemberConfig(1_000_000_000L, 1 << 20);

  private final VolumeSpec spec;
  private final Endpoint.Session self;
  private final VolumeSession session;
  private final RegionMember[][] members;
  private final ByteBuffer block;
  private final OfSession ofSession = new OfSession();
  private final Deque<Runnable> events = new ArrayDeque<>();
  private long issued;
  private long done;

  /**
   * @param block the content of every block
   */
  MemoryCluster(int regions, ByteBuffer block) {
    this.spec = Samples.spec(regions);
    this.block = block;
    this.self = new Endpoint.Session(spec.id(), Samples.MOUNT);
    this.session =
        new VolumeSession(spec, Samples.MOUNT, Samples.signer(), SessionConfig.defaults());
    this.members = new RegionMember[regions][Samples.MEMBERS.size()];
    for (int r = 0; r < regions; r++) {
      for (int place = 0; place < members[r].length; place++) {
        RegionMember m =
            new RegionMember(
                spec,
                new Seat(spec.regionId(r), Samples.EPOCH, Samples.MEMBERS, place),
                Samples.signer(),
                CONFIG);
        members[r][place] = m;
        Endpoint.Member at = new Endpoint.Member(spec.regionId(r), place);
        events.add(() -> perform(at, m.start(now())));
      }
    }
    run();
    if (!session.mounted()) {
      throw new IllegalStateException("the volume is not mounted");
    }
  }

  private static long now() {
    return System.nanoTime();
  }

  private void run() {
    for (Runnable next = events.poll(); next != null; next = events.poll()) {
      next.run();
    }
    if (done < issued) {
      throw new IllegalStateException(issued - done + " requests were not answered");
    }
  }

  /** Writes whole blocks and waits. Returns the number of requests that are done. */
  long write(long first, ByteBuffer data) {
    perform(session.write(++issued, first, data, false, now()));
    run();
    return done;
  }

  /** Reads whole blocks and waits. Returns the number of requests that are done. */
  long read(long first, ByteBuffer into) {
    perform(session.read(++issued, first, into, now()));
    run();
    return done;
  }

  private void perform(List<SessionEffect> effects) {
    effects.forEach(e -> e.performBy(ofSession));
  }

  private void perform(Endpoint.Member at, List<MemberEffect> effects) {
    OfMember handler = new OfMember(at);
    effects.forEach(e -> e.performBy(handler));
  }

  private static IllegalStateException cannotGoOn(Object effect) {
    return new IllegalStateException("nothing goes wrong here, and yet: " + effect);
  }

  /** Performs the session's effects. */
  private final class OfSession implements SessionEffect.Handler {
    @Override
    public void send(Send effect) {
      MemoryCluster.this.send(self, effect);
    }

    @Override
    public void done(SessionEffect.Done effect) {
      done++;
    }

    @Override
    public void mounted(SessionEffect.Mounted effect) {
      // The constructor asks the session itself.
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void failed(SessionEffect.Failed effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void ended(SessionEffect.Ended effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void lookUp(SessionEffect.LookUp effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void wentBack(SessionEffect.WentBack effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void stalled(Stalled effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void report(SessionEffect.Report effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void disagree(SessionEffect.Disagree effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void unreadable(SessionEffect.Unreadable effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void readable(SessionEffect.Readable effect) {
      throw cannotGoOn(effect);
    }
  }

  /** Performs a member's effects; an epoch opens on empty disks. */
  private final class OfMember implements MemberEffect.Handler {
    private final Endpoint.Member at;
    private final RegionMember member;

    OfMember(Endpoint.Member at) {
      this.at = at;
      this.member = members[at.region().index()][at.lane()];
    }

    private void answer(Supplier<List<MemberEffect>> event) {
      events.add(() -> perform(at, event.get()));
    }

    @Override
    public void send(Send effect) {
      MemoryCluster.this.send(at, effect);
    }

    @Override
    public void append(MemberEffect.Append effect) {
      long bytes = effect.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
      answer(() -> member.onDurable(effect.at().plus(bytes), now()));
    }

    @Override
    public void serveGet(MemberEffect.ServeGet effect) {
      serve(at, effect);
    }

    @Override
    public void serving(MemberEffect.Serving effect) {
      int region = at.region().index();
      events.add(() -> perform(session.onRrs(region, effect.epoch(), Lanes.COUNT, now())));
    }

    @Override
    public void createSegment(MemberEffect.CreateSegment effect) {
      answer(() -> member.onSegmentCreated(effect.segment(), true, false, now()));
    }

    @Override
    public void registerEpoch(MemberEffect.RegisterEpoch effect) {
      answer(() -> member.onRegistered(true, now()));
    }

    @Override
    public void tidy(MemberEffect.Tidy effect) {
      // Logs are not kept.
    }

    @Override
    public void scanLog(MemberEffect.ScanLog effect) {
      answer(() -> member.onScanned(LogScan.Found.NOTHING, now()));
    }

    @Override
    public void recoverSegments(MemberEffect.RecoverSegments effect) {
      answer(() -> member.onRecovered(true, now()));
    }

    @Override
    public void replayLog(MemberEffect.ReplayLog effect) {
      answer(() -> member.onReplayed(now()));
    }

    @Override
    public void loadRoots(MemberEffect.LoadRoots effect) {
      answer(() -> member.onRootsLoaded(now()));
    }

    @Override
    public void createCheckpoint(MemberEffect.CreateCheckpoint effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void flush(MemberEffect.Flush effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void compact(MemberEffect.Compact effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void loadPages(MemberEffect.LoadPages effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void unable(MemberEffect.Unable effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void suspect(MemberEffect.Suspect effect) {
      throw cannotGoOn(effect);
    }

    @Override
    public void stalled(Stalled effect) {
      throw cannotGoOn(effect);
    }
  }

  private void serve(Endpoint.Member at, MemberEffect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, spec.blockSize());
    boolean ok = read.run((segment, offset, into) -> fill(into), List.of());
    send(
        at, new Send(g.to(), new GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok), read.data()));
  }

  private boolean fill(ByteBuffer into) {
    while (into.hasRemaining()) {
      into.put(block.duplicate());
    }
    return true;
  }

  private void send(Endpoint from, Send x) {
    Message message = x.message();
    ByteBuffer payload = x.payload() == null ? null : x.payload().duplicate();
    if (x.to() instanceof Endpoint.Member to) {
      events.add(
          () ->
              perform(
                  to,
                  members[to.region().index()][to.lane()].onMessage(
                      from, message, payload, now())));
    } else {
      events.add(() -> perform(session.onMessage(from, message, payload, now())));
    }
  }
}
