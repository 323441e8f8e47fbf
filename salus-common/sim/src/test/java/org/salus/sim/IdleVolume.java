package org.salus.sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;
import org.salus.sim.scale.FirstOpening;
import org.salus.sim.scale.UntroubledSession;
import org.salus.sim.store.SimDisk;

/**
 * A mounted volume in an ideal cluster. All links take one time for a message, all disks one time
 * for an append or a read, and processors take none. Counts what its parts send and append.
 */
final class IdleVolume {
  private static final long MOUNT = 1;
  private static final int EPOCH = 1;
  private static final int MEMBERS = 3;
  private static final List<String> NAMES = List.of("m0:1", "m1:1", "m2:1");

  private final Signer signer =
      new Signer("the secret of a cluster".getBytes(StandardCharsets.UTF_8));
  private final Clock clock = new Clock();
  private final long link;
  private final long disk;
  private final VolumeSpec spec;
  private final VolumeSession session;
  private final Map<Endpoint, Server> servers =
      new TreeMap<>(Comparator.comparing(Endpoint::toString));

  /** The number of messages sent, by kind. */
  private final Map<String, Integer> sent = new TreeMap<>();

  private int appends;
  private int syncedAppends;
  private int segments;
  private boolean mounted;
  private long requests;
  private boolean done;

  private final SessionEffect.Handler effects =
      new UntroubledSession() {
        @Override
        public void send(Send effect) {
          IdleVolume.this.send(new Endpoint.Session(spec.id(), MOUNT), effect);
        }

        @Override
        public void done(SessionEffect.Done effect) {
          done = true;
        }

        @Override
        public void mounted(SessionEffect.Mounted effect) {
          mounted = true;
        }
      };

  /**
   * The cost of a request.
   *
   * @param nanos time until the answer, in nanoseconds
   * @param messages number of messages until nobody had anything left to do, by kind
   * @param appends number of appends of all members
   * @param synced how many of the appends were sync appends
   */
  record Outcome(long nanos, Map<String, Integer> messages, int appends, int synced) {
    int sent() {
      return messages.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * @param link time that a message takes, in nanoseconds
   * @param disk time that an append, synced or not, or a read takes, in nanoseconds
   */
  IdleVolume(long link, long disk, int regions, boolean synced) {
    this(link, disk, regions, synced, 64 << 20);
  }

  /** A volume with segments of this size. */
  IdleVolume(long link, long disk, int regions, boolean synced, long segmentBytes) {
    this.link = link;
    this.disk = disk;
    this.spec = new VolumeSpec("volume", 1, 4096, 1L << 20, regions, synced, segmentBytes);
    this.session = new VolumeSession(spec, MOUNT, signer, SessionConfig.defaults());
    for (int region = 0; region < regions; region++) {
      for (int place = 0; place < MEMBERS; place++) {
        Server s = new Server(region, place);
        servers.put(s.self, s);
      }
    }
    servers.values().forEach(s -> s.event(() -> s.core.start(clock.now())));
    settle();
    if (!mounted) {
      throw new IllegalStateException("it cannot be mounted");
    }
  }

  int stripeBlocks() {
    return spec.stripeBlocks();
  }

  Outcome write(long block, byte[] content, boolean sync) {
    return request(id -> session.write(id, block, ByteBuffer.wrap(content), sync, clock.now()));
  }

  Outcome zero(long block, long count) {
    return request(id -> session.zero(id, block, count, false, clock.now()));
  }

  /** The number of segments that the regions have asked for. */
  int segments() {
    return segments;
  }

  Outcome flush() {
    return request(id -> session.flush(id, clock.now()));
  }

  Outcome read(long block, byte[] into) {
    return request(id -> session.read(id, block, ByteBuffer.wrap(into), clock.now()));
  }

  private Outcome request(LongFunction<List<SessionEffect>> what) {
    sent.clear();
    appends = 0;
    syncedAppends = 0;
    done = false;
    long begin = clock.now();
    perform(what.apply(++requests));
    while (!done && clock.step()) {
      continue;
    }
    if (!done) {
      throw new IllegalStateException("it was never answered");
    }
    long nanos = clock.now() - begin;
    settle();
    return new Outcome(nanos, Map.copyOf(sent), appends, syncedAppends);
  }

  private void settle() {
    while (clock.step()) {
      continue;
    }
  }

  private void send(Endpoint from, Send x) {
    sent.merge(x.message().getClass().getSimpleName(), 1, Integer::sum);
    ByteBuffer payload = x.payload() == null ? null : x.payload().duplicate();
    clock.after(
        link,
        () -> {
          if (x.to() instanceof Endpoint.Member to) {
            Server s = servers.get(to);
            s.event(() -> s.core.onMessage(from, x.message(), payload, clock.now()));
          } else {
            perform(session.onMessage(from, x.message(), payload, clock.now()));
          }
        });
  }

  private void perform(List<SessionEffect> all) {
    all.forEach(e -> e.performBy(effects));
  }

  /** A member of a region and its disk. */
  private final class Server {
    private final Endpoint.Member self;
    private final RegionMember core;
    private final SimDisk files = new SimDisk();
    private final MemberEffect.Handler effects;
    private long free;

    Server(int region, int place) {
      this.self = new Endpoint.Member(spec.regionId(region), place);
      this.core =
          new RegionMember(
              spec,
              new Seat(spec.regionId(region), EPOCH, NAMES, place),
              signer,
              new MemberConfig(Long.MAX_VALUE, 1 << 20));
      this.effects = new Effects();
    }

    void event(Supplier<List<MemberEffect>> what) {
      what.get().forEach(e -> e.performBy(effects));
    }

    private void at(long time, Supplier<List<MemberEffect>> what) {
      clock.at(time, () -> event(what));
    }

    private final class Effects extends FirstOpening {
      Effects() {
        super(core);
      }

      @Override
      protected void event(Supplier<List<MemberEffect>> what) {
        at(clock.now(), what);
      }

      @Override
      protected long now() {
        return clock.now();
      }

      @Override
      public void send(Send effect) {
        IdleVolume.this.send(self, effect);
      }

      @Override
      public void append(MemberEffect.Append effect) {
        Server.this.append(effect);
      }

      @Override
      public void serveGet(MemberEffect.ServeGet effect) {
        clock.after(disk, () -> serve(effect));
      }

      @Override
      public void serving(MemberEffect.Serving effect) {
        int region = self.region().index();
        clock.after(
            link, () -> perform(session.onRrs(region, effect.epoch(), MEMBERS, clock.now())));
      }

      @Override
      public void createSegment(MemberEffect.CreateSegment effect) {
        segments++;
        super.createSegment(effect);
      }
    }

    /** Appends one after the other, as a DataNode does. */
    private void append(MemberEffect.Append x) {
      appends++;
      syncedAppends += x.sync() ? 1 : 0;
      long offset = x.at().offset();
      for (ByteBuffer bytes : x.bytes()) {
        files.segment(x.at().segment()).append(offset, bytes.duplicate());
        offset += bytes.remaining();
      }
      long length = offset - x.at().offset();
      free = Math.max(free, clock.now()) + disk;
      at(free, () -> core.onDurable(x.at().plus(length), clock.now()));
    }

    private void serve(MemberEffect.ServeGet g) {
      ReadAssembly read = new ReadAssembly(g, spec.blockSize());
      boolean ok =
          read.run(
              (segment, position, into) -> files.segment(segment).read(position, into),
              new ArrayList<>());
      Message reply = new Message.GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok);
      send(self, new Send(g.to(), reply, ok ? read.data() : null));
    }
  }
}
