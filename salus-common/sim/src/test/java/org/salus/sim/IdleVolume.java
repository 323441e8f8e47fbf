package org.salus.sim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * A mounted volume whose links take the same time each, whose disks take the same time for each
 * append and each read, and whose processors take none. Counts what its parts send and append.
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

  /** What is sent, by its kind. */
  private final Map<String, Integer> sent = new TreeMap<>();

  private int appends;
  private int syncedAppends;
  private int segments;
  private boolean mounted;
  private long requests;
  private boolean done;

  /**
   * What a request was answered after.
   *
   * @param nanos until the answer
   * @param messages that anybody sent until nobody had anything to do, by kind
   * @param appends of all members, of which {@code synced} were to be on disk
   */
  record Outcome(long nanos, Map<String, Integer> messages, int appends, int synced) {
    int sent() {
      return messages.values().stream().mapToInt(Integer::intValue).sum();
    }
  }

  /**
   * @param link nanoseconds that a message is on its way
   * @param disk nanoseconds that an append, synced or not, or a read takes
   */
  IdleVolume(long link, long disk, int regions, boolean synced) {
    this(link, disk, regions, synced, 64 << 20);
  }

  /** One whose segments are of that size. */
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

  /** Segments that any region has asked for. */
  int segments() {
    return segments;
  }

  Outcome flush() {
    return request(id -> session.flush(id, clock.now()));
  }

  Outcome read(long block, byte[] into) {
    return request(id -> session.read(id, block, ByteBuffer.wrap(into), clock.now()));
  }

  private Outcome request(LongFunction<List<Effect>> what) {
    sent.clear();
    appends = 0;
    syncedAppends = 0;
    done = false;
    long begin = clock.now();
    what.apply(++requests).forEach(this::perform);
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

  private void send(Endpoint from, Effect.Send x) {
    sent.merge(x.message().getClass().getSimpleName(), 1, Integer::sum);
    ByteBuffer payload = x.payload() == null ? null : x.payload().duplicate();
    clock.after(
        link,
        () -> {
          if (x.to() instanceof Endpoint.Member to) {
            Server s = servers.get(to);
            s.event(() -> s.core.onMessage(from, x.message(), payload, clock.now()));
          } else {
            session.onMessage(from, x.message(), payload, clock.now()).forEach(this::perform);
          }
        });
  }

  private void perform(Effect e) {
    if (e instanceof Effect.Send x) {
      send(new Endpoint.Session(spec.id(), MOUNT), x);
    } else if (e instanceof Effect.Done) {
      done = true;
    } else if (e instanceof Effect.Mounted) {
      mounted = true;
    } else {
      throw new IllegalStateException("a session cannot go on: " + e);
    }
  }

  private interface Event {
    List<Effect> happens();
  }

  /** A member of a region, and its disk. */
  private final class Server {
    private final Endpoint.Member self;
    private final RegionMember core;
    private final SimDisk files = new SimDisk();
    private long free;

    Server(int region, int place) {
      this.self = new Endpoint.Member(spec.regionId(region), place);
      this.core =
          new RegionMember(
              spec,
              new Seat(spec.regionId(region), EPOCH, NAMES, place),
              signer,
              new MemberConfig(Long.MAX_VALUE, 1 << 20));
    }

    void event(Event what) {
      what.happens().forEach(this::perform);
    }

    private void at(long time, Event what) {
      clock.at(time, () -> event(what));
    }

    private void perform(Effect e) {
      if (e instanceof Effect.Send x) {
        send(self, x);
      } else if (e instanceof Effect.Append x) {
        append(x);
      } else if (e instanceof Effect.ServeGet x) {
        clock.after(disk, () -> serve(x));
      } else if (e instanceof Effect.Serving x) {
        clock.after(
            link,
            () ->
                session
                    .onRrs(self.region().index(), x.epoch(), MEMBERS, clock.now())
                    .forEach(IdleVolume.this::perform));
      } else if (e instanceof Effect.CreateSegment x) {
        segments++;
        at(clock.now(), () -> core.onSegmentCreated(x.segment(), true, false, clock.now()));
      } else if (!(e instanceof Effect.Tidy)) {
        at(clock.now(), () -> FirstOpening.answer(core, e, clock.now()));
      }
    }

    /** One after the other, as a DataNode takes them. */
    private void append(Effect.Append x) {
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

    private void serve(Effect.ServeGet g) {
      ReadAssembly read = new ReadAssembly(g, spec.blockSize());
      boolean ok =
          read.run(
              (segment, position, into) -> files.segment(segment).read(position, into),
              new ArrayList<>());
      Message reply = new Message.GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok);
      send(self, new Effect.Send(g.to(), reply, ok ? read.data() : null));
    }
  }
}
