package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.log.LogScan;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * A session and the three members of each region in one thread: messages arrive and appends are
 * durable in the order in which they were sent. Logs are not kept: a read finds the same block
 * everywhere, which must be the one that is written.
 */
final class MemoryCluster {
  /**
   * Nothing is ever flushed, for nothing could be read from the log: about 5 MB of index for each
   * 64 MiB that are written.
   */
  private static final MemberConfig CONFIG = new MemberConfig(1_000_000_000L, 1 << 20);

  private final VolumeSpec spec;
  private final Endpoint.Session self;
  private final VolumeSession session;
  private final RegionMember[][] members;
  private final ByteBuffer block;
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

  /** Writes whole blocks and waits; returns how many requests are done. */
  long write(long first, ByteBuffer data) {
    perform(session.write(++issued, first, data, false, now()));
    run();
    return done;
  }

  /** Reads whole blocks and waits; returns how many requests are done. */
  long read(long first, ByteBuffer into) {
    perform(session.read(++issued, first, into, now()));
    run();
    return done;
  }

  private void perform(List<Effect> effects) {
    for (Effect e : effects) {
      if (e instanceof Effect.Send x) {
        send(self, x);
      } else if (e instanceof Effect.Done) {
        done++;
      } else if (!(e instanceof Effect.Mounted)) {
        throw new IllegalStateException("the session cannot go on: " + e);
      }
    }
  }

  private void perform(Endpoint.Member at, List<Effect> effects) {
    RegionMember m = members[at.region().index()][at.lane()];
    for (Effect e : effects) {
      if (e instanceof Effect.Send x) {
        send(at, x);
      } else if (e instanceof Effect.Append x) {
        long bytes = x.bytes().stream().mapToLong(ByteBuffer::remaining).sum();
        events.add(() -> perform(at, m.onDurable(x.at().plus(bytes), now())));
      } else if (e instanceof Effect.ServeGet x) {
        serve(at, x);
      } else if (e instanceof Effect.CreateSegment x) {
        events.add(() -> perform(at, m.onSegmentCreated(x.segment(), true, false, now())));
      } else if (!(e instanceof Effect.Tidy)) {
        open(at, m, e);
      }
    }
  }

  /** What an epoch asks for when it opens on empty disks. */
  private void open(Endpoint.Member at, RegionMember m, Effect e) {
    if (e instanceof Effect.ScanLog) {
      events.add(
          () ->
              perform(at, m.onScanned(new LogScan.Found(List.of(), List.of(), List.of()), now())));
    } else if (e instanceof Effect.RecoverSegments) {
      events.add(() -> perform(at, m.onRecovered(true, now())));
    } else if (e instanceof Effect.ReplayLog) {
      events.add(() -> perform(at, m.onReplayed(now())));
    } else if (e instanceof Effect.LoadRoots) {
      events.add(() -> perform(at, m.onRootsLoaded(now())));
    } else if (e instanceof Effect.Serving x) {
      events.add(() -> perform(session.onRrs(at.region().index(), x.epoch(), Lanes.COUNT, now())));
    } else {
      throw new IllegalStateException(at + " cannot go on: " + e);
    }
  }

  private void serve(Endpoint.Member at, Effect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, spec.blockSize());
    boolean ok = read.run((segment, offset, into) -> fill(into), List.of());
    send(
        at,
        new Effect.Send(
            g.to(), new GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok), read.data()));
  }

  private boolean fill(ByteBuffer into) {
    while (into.hasRemaining()) {
      into.put(block.duplicate());
    }
    return true;
  }

  private void send(Endpoint from, Effect.Send x) {
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
