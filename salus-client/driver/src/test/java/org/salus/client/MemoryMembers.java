package org.salus.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.salus.client.cluster.SessionTransport;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.log.LogSummary;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.scan.LogScan;

/**
 * The three members of a volume's only region, with their logs in memory, on a scripted loop. They
 * serve any number of sessions, one mount after the other. Nothing is ever flushed.
 */
final class MemoryMembers {
  static final VolumeSpec SPEC = new VolumeSpec("disk", 9, 4096, 1024, 1, false, 64 << 20);
  static final byte[] SECRET = "secret".getBytes(StandardCharsets.UTF_8);
  private static final List<String> NODES = List.of("node1", "node2", "node3");
  private static final List<RrsRecord.Member> MEMBERS =
      NODES.stream().map(n -> new RrsRecord.Member(n, 1, n)).toList();

  /** Whether all messages of sessions, and all answers, are lost. */
  boolean silent;

  /** The only lane whose member hears of reads; -1 for all. */
  int reader = -1;

  /** Thrown when a session sends something, as a bug of the driver's would be; null for nothing. */
  Error bug;

  /** Whether no session can begin to listen. */
  boolean unreachable;

  /** Whether M0 refuses every change for want of room. */
  boolean refusesChanges;

  /** Whether each member says that its log lacks every change. */
  boolean haveLostAll;

  /** The number of changes that were acknowledged once, as the log says, and that are lost. */
  int lost;

  /** Whether nobody says whether there is room. */
  boolean saysNothingOfRoom;

  /** Of so many messages of sessions one is lost; 0 for none. */
  int losesOneOf;

  /** The number of messages that sessions have sent. */
  private int messages;

  /** The number of times that sessions have asked for blocks. */
  int reads;

  /** The number of greetings from sessions. */
  int hellos;

  private final VolumeSpec spec;
  private final ScriptedLoop loop;
  private final List<RegionMember> members = new ArrayList<>();
  private final List<Map<Long, Segment>> logs = new ArrayList<>();
  private final Map<Endpoint.Session, SessionTransport.Listener> sessions = new HashMap<>();
  private RrsRecord rrs;

  MemoryMembers(VolumeSpec spec, ScriptedLoop loop) {
    this.spec = spec;
    this.loop = loop;
    openOnEmptyDisks(3);
  }

  /** All servers lose power, and with it everything that was written: nothing was flushed. */
  void losePower() {
    openOnEmptyDisks(rrs.epoch() + 1);
  }

  private void openOnEmptyDisks(int epoch) {
    members.clear();
    logs.clear();
    rrs =
        new RrsRecord(
            EpochLink.first(spec.regionId(0), epoch, MEMBERS, MEMBERS, new Signer(SECRET)),
            RrsRecord.State.OPENING,
            "");
    for (int lane = 0; lane < NODES.size(); lane++) {
      RegionMember m =
          new RegionMember(
              spec,
              new Seat(spec.regionId(0), epoch, NODES, lane),
              new Signer(SECRET),
              new MemberConfig(1_000_000_000L, 1 << 20));
      members.add(m);
      logs.add(new HashMap<>());
    }
    for (int lane = 0; lane < NODES.size(); lane++) {
      perform(lane, members.get(lane).start(loop.nanoTime()));
    }
    loop.settle();
    if (rrs.state() != RrsRecord.State.SERVING) {
      throw new IllegalStateException("the region does not serve");
    }
  }

  /** Sessions that listen. */
  Set<Endpoint.Session> sessions() {
    return new LinkedHashSet<>(sessions.keySet());
  }

  /** The region has no room for its next segment, or has room again. */
  void setFull(boolean full) {
    become(full ? rrs.full("") : rrs.serving());
  }

  private void become(RrsRecord now) {
    rrs = now;
    List.copyOf(sessions.values()).forEach(s -> s.changed(0, now));
  }

  /** A session's transport to these members. */
  SessionTransport transport(Endpoint.Session self) {
    return new Transport(self);
  }

  private final class Transport implements SessionTransport {
    private final Endpoint.Session self;

    Transport(Endpoint.Session self) {
      this.self = self;
    }

    @Override
    public void open(Listener listener) {
      if (unreachable) {
        throw new IllegalStateException("unreachable");
      }
      sessions.put(self, listener);
      listener.changed(0, rrs);
    }

    @Override
    public void greet() {
      hellos++;
    }

    @Override
    public void send(Endpoint.Member to, Message message, ByteBuffer payload) {
      if (bug != null) {
        throw bug;
      }
      reads += message instanceof GetRequest ? 1 : 0;
      boolean lost = losesOneOf > 0 && ++messages % losesOneOf == 0;
      boolean deaf =
          lost
              || message instanceof GetRequest && reader >= 0 && to.lane() != reader
              || message instanceof StatusQuery && saysNothingOfRoom;
      if (haveLostAll && (message instanceof PutRequest || message instanceof PageRequest)) {
        refuse(self, to, Refusal.LOST);
      } else if (message instanceof PutRequest && refusesChanges) {
        refuse(self, to, Refusal.NO_SPACE);
      } else if (!silent && !deaf) {
        deliver(self, to.lane(), message, payload);
      }
    }

    @Override
    public String node(int region, int lane) {
      return NODES.get(lane);
    }

    @Override
    public String waitsFor(boolean answering) {
      return answering ? "slow members" : "silent members";
    }

    @Override
    public void close() {
      sessions.remove(self);
    }
  }

  private void refuse(Endpoint.Session session, Endpoint.Member by, Refusal why) {
    byte[] nothing = {};
    Refused no =
        new Refused(rrs.epoch(), by.lane(), session.mountEpoch(), 0, why, 0, nothing, nothing)
            .sign(spec.regionId(0), new Signer(SECRET));
    loop.execute(() -> send(by.lane(), new Send(session, no, null)));
  }

  private void deliver(Endpoint from, int lane, Message message, ByteBuffer payload) {
    ByteBuffer copy = payload == null ? null : copy(payload);
    loop.execute(
        () -> perform(lane, members.get(lane).onMessage(from, message, copy, loop.nanoTime())));
  }

  private static ByteBuffer copy(ByteBuffer b) {
    byte[] bytes = new byte[b.remaining()];
    b.duplicate().get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private void send(int lane, Send x) {
    Endpoint.Member from = new Endpoint.Member(spec.regionId(0), lane);
    if (x.to() instanceof Endpoint.Member to) {
      deliver(from, to.lane(), x.message(), x.payload());
    } else if (!silent && sessions.containsKey(x.to())) {
      sessions
          .get(x.to())
          .received(from, withLost(x.message()), x.payload() == null ? null : copy(x.payload()));
    }
  }

  private Message withLost(Message m) {
    if (!(m instanceof MountReply r)) {
      return m;
    }
    LogSummary s = r.summary();
    LogSummary more = new LogSummary(s.durable(), s.acked() + lost, s.prepared());
    return new MountReply(r.epoch(), r.lane(), r.mountEpoch(), more);
  }

  private void perform(int lane, List<MemberEffect> effects) {
    RegionMember m = members.get(lane);
    for (MemberEffect e : effects) {
      if (e instanceof Send x) {
        send(lane, x);
      } else if (e instanceof MemberEffect.Append x) {
        append(lane, m, x);
      } else if (e instanceof MemberEffect.ServeGet x) {
        serve(lane, x);
      } else if (e instanceof MemberEffect.CreateSegment x) {
        later(lane, () -> m.onSegmentCreated(x.segment(), true, false, loop.nanoTime()));
      } else if (e instanceof MemberEffect.RegisterEpoch) {
        later(lane, () -> m.onRegistered(true, loop.nanoTime()));
      } else if (!(e instanceof MemberEffect.Tidy)) {
        open(lane, m, e);
      }
    }
  }

  private void append(int lane, RegionMember m, MemberEffect.Append x) {
    Segment log = logs.get(lane).computeIfAbsent(x.at().segment(), s -> new Segment());
    long begin = log.size();
    x.bytes().forEach(b -> log.writeBytes(copy(b).array()));
    long bytes = log.size() - begin;
    later(lane, () -> m.onDurable(x.at().plus(bytes), loop.nanoTime()));
  }

  /** The bytes of a segment, which can be read without copying all of them. */
  private static final class Segment extends ByteArrayOutputStream {
    void read(int offset, ByteBuffer into) {
      into.put(buf, offset, into.remaining());
    }
  }

  private void serve(int lane, MemberEffect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, spec.blockSize());
    boolean ok =
        read.run(
            (segment, offset, into) -> {
              logs.get(lane).get(segment).read((int) offset, into);
              return true;
            },
            List.of());
    send(
        lane,
        new Send(g.to(), new GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok), read.data()));
  }

  /** Answers what an epoch asks for when it opens on empty disks. */
  private void open(int lane, RegionMember m, MemberEffect e) {
    if (e instanceof MemberEffect.ScanLog) {
      later(lane, () -> m.onScanned(LogScan.Found.NOTHING, loop.nanoTime()));
    } else if (e instanceof MemberEffect.RecoverSegments) {
      later(lane, () -> m.onRecovered(true, loop.nanoTime()));
    } else if (e instanceof MemberEffect.ReplayLog) {
      later(lane, () -> m.onReplayed(loop.nanoTime()));
    } else if (e instanceof MemberEffect.LoadRoots) {
      later(lane, () -> m.onRootsLoaded(loop.nanoTime()));
    } else if (e instanceof MemberEffect.Serving) {
      become(rrs.serving());
    } else {
      throw new IllegalStateException("member " + lane + " cannot go on: " + e);
    }
  }

  private void later(int lane, Supplier<List<MemberEffect>> event) {
    loop.execute(() -> perform(lane, event.get()));
  }
}
