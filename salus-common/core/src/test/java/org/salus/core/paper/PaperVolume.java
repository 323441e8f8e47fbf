package org.salus.core.paper;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message;
import org.salus.core.scan.LogScan;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;

/**
 * A mounted volume in memory: a session and three members for each region, which are the core's own
 * classes. Messages arrive and appends become written in the order in which they were asked for,
 * unless a test holds them back. No time passes.
 */
final class PaperVolume {
  static final List<String> MEMBERS = List.of("a:1", "b:1", "c:1");
  static final int EPOCH = 1;
  private static final int STRIPE = 128;

  /** A message on its way. */
  record Sent(Endpoint from, Endpoint to, Message message, ByteBuffer payload) {

    boolean is(Class<? extends Message> kind) {
      return kind.isInstance(message);
    }

    boolean isTo(int region, int place) {
      return to.equals(at(region, place));
    }

    boolean isFrom(int region, int place) {
      return from.equals(at(region, place));
    }
  }

  /** A session's report about a member. */
  record Blame(int region, int place, boolean wrong) {}

  final VolumeSpec spec;
  final Signer signer = new Signer(new byte[] {1});
  VolumeSession session;

  /** Everything that was sent, in order. */
  final List<Sent> sent = new ArrayList<>();

  final List<Blame> blamed = new ArrayList<>();

  /** What members have said of one another. */
  final List<Stalled> complaints = new ArrayList<>();

  /** Permissions that members have shown to the NameNode, newest last. */
  final List<byte[]> permissions = new ArrayList<>();

  /** Whether the session has ended. */
  boolean ended;

  private final Map<Endpoint, Server> servers =
      new TreeMap<>(Comparator.comparing(Endpoint::toString));
  private final Deque<Runnable> events = new ArrayDeque<>();
  private final List<Sent> heldBack = new ArrayList<>();
  private final Map<Long, byte[]> reads = new HashMap<>();
  private final Set<Long> done = new HashSet<>();
  private Predicate<Sent> held = s -> false;
  private UnaryOperator<Sent> altered = UnaryOperator.identity();
  private long mount;
  private long requests;

  PaperVolume(int regions) {
    spec = new VolumeSpec("v", 9, 4096, (long) STRIPE * regions * 2, regions, false, 4 << 20);
    for (int region = 0; region < regions; region++) {
      for (int place = 0; place < MEMBERS.size(); place++) {
        servers.put(at(region, place), new Server(region, place));
      }
    }
    servers.values().forEach(s -> s.perform(s.core.start(0)));
    run();
    mount();
  }

  static Endpoint.Member at(int region, int place) {
    return new Endpoint.Member(new RegionId(9, region), place);
  }

  /** The number of a block in a region. */
  static long block(int region, int number) {
    return (long) region * STRIPE + number;
  }

  /** Lets another client mount the volume. Nothing reaches the client before any more. */
  void mount() {
    mount++;
    ended = false;
    session = new VolumeSession(spec, mount, signer, SessionConfig.defaults());
    for (int region = 0; region < spec.regionCount(); region++) {
      perform(session.onRrs(region, EPOCH, MEMBERS.size(), 0));
    }
    run();
  }

  // ---- requests ----

  /** Writes a block that begins with {@code value}. */
  long write(long block, int value) {
    perform(session.write(++requests, block, content(1, value), false, 0));
    run();
    return requests;
  }

  /** Writes two neighbouring blocks at the border of regions 0 and 1. */
  long writeOverBoth(int value) {
    perform(session.write(++requests, block(1, 0) - 1, content(2, value), false, 0));
    run();
    return requests;
  }

  long flush() {
    perform(session.flush(++requests, 0));
    run();
    return requests;
  }

  long read(long block) {
    byte[] into = new byte[spec.blockSize()];
    reads.put(++requests, into);
    perform(session.read(requests, block, ByteBuffer.wrap(into), 0));
    run();
    return requests;
  }

  boolean isDone(long request) {
    return done.contains(request);
  }

  /** The first byte of the block that a finished read returned. */
  int value(long read) {
    if (!isDone(read)) {
      throw new IllegalStateException("the read is not done");
    }
    return reads.get(read)[0];
  }

  private ByteBuffer content(int blocks, int value) {
    ByteBuffer b = ByteBuffer.allocate(blocks * spec.blockSize());
    for (int i = 0; i < blocks; i++) {
      b.put(i * spec.blockSize(), (byte) value);
    }
    return b;
  }

  // ---- what a test does to messages and disks ----

  /** Holds such messages back until {@link #release}. */
  void hold(Predicate<Sent> such) {
    held = such;
  }

  /** Delivers what was held back. */
  void release() {
    held = s -> false;
    List.copyOf(heldBack).forEach(s -> events.add(() -> arrive(s)));
    heldBack.clear();
    run();
  }

  /** Drops what was held back. */
  void lose() {
    held = s -> false;
    heldBack.clear();
  }

  /** Changes messages on their way. */
  void alter(UnaryOperator<Sent> how) {
    altered = how;
  }

  /** Delivers a message that nobody has sent. */
  void forge(Endpoint from, Endpoint to, Message m) {
    events.add(() -> arrive(new Sent(from, to, m, null)));
    run();
  }

  /** From now on, nothing that this member appends becomes written. */
  void stallDisk(int region, int place) {
    server(region, place).stalled = true;
  }

  /** Everything that this member has appended becomes written. */
  void wakeDisk(int region, int place) {
    Server s = server(region, place);
    s.stalled = false;
    s.waiting.forEach(events::add);
    s.waiting.clear();
    run();
  }

  // ---- what a test looks at ----

  <M extends Message> List<M> sent(Class<M> kind) {
    return sent.stream().map(Sent::message).filter(kind::isInstance).map(kind::cast).toList();
  }

  /** The records that a member forwards along the chain. */
  List<Message.Chain> chains(List<MemberEffect> effects) {
    return effects.stream()
        .filter(Send.class::isInstance)
        .map(e -> ((Send) e).message())
        .filter(Message.Chain.class::isInstance)
        .map(Message.Chain.class::cast)
        .toList();
  }

  /** The bytes of a member's replica of its region's only log segment. */
  byte[] replica(int region, int place) {
    return server(region, place).bytes();
  }

  /** The number of a member's appends that had to be synced. */
  int syncedAppends(int region, int place) {
    return server(region, place).synced;
  }

  /** The certified records of a replica. */
  List<LogRecord> log(int region, byte[] replica) {
    LogReader reader = new LogReader(source(replica), spec.regionId(region), 1, signer);
    List<LogRecord> all = new ArrayList<>();
    for (LogRecord r = reader.next(); r != null; r = reader.next()) {
      all.add(r);
    }
    return all;
  }

  /** The number of PUT records in a member's replica. */
  long puts(int region, int place) {
    return log(region, replica(region, place)).stream()
        .filter(r -> r.type() == LogRecord.Type.PUT)
        .count();
  }

  private Server server(int region, int place) {
    return servers.get(at(region, place));
  }

  private static LogReader.Source source(byte[] bytes) {
    return (position, into) -> {
      if (position + into.remaining() > bytes.length) {
        return false;
      }
      into.put(bytes, (int) position, into.remaining());
      return true;
    };
  }

  // ---- the host of session and members ----

  void run() {
    while (!events.isEmpty()) {
      events.poll().run();
    }
  }

  private void send(Endpoint from, Send x) {
    Sent s = altered.apply(new Sent(from, x.to(), x.message(), x.payload()));
    sent.add(s);
    if (held.test(s)) {
      heldBack.add(s);
    } else {
      events.add(() -> arrive(s));
    }
  }

  private void arrive(Sent s) {
    ByteBuffer payload = s.payload() == null ? null : s.payload().duplicate();
    if (s.to() instanceof Endpoint.Member) {
      Server to = servers.get(s.to());
      to.perform(to.core.onMessage(s.from(), s.message(), payload, 0));
    } else if (((Endpoint.Session) s.to()).mountEpoch() == mount) {
      perform(session.onMessage(s.from(), s.message(), payload, 0));
    }
  }

  /** Performs what the session asks for. */
  void perform(List<SessionEffect> effects) {
    effects.forEach(e -> e.performBy(new Client()));
  }

  /** The session's host. */
  private final class Client implements SessionEffect.Handler {
    @Override
    public void send(Send x) {
      PaperVolume.this.send(new Endpoint.Session(spec.id(), mount), x);
    }

    @Override
    public void done(SessionEffect.Done x) {
      done.add(x.id());
    }

    @Override
    public void failed(SessionEffect.Failed x) {}

    @Override
    public void report(SessionEffect.Report x) {
      blamed.add(new Blame(x.region(), x.lane(), x.wrong()));
    }

    @Override
    public void ended(SessionEffect.Ended x) {
      ended = true;
    }

    @Override
    public void zeroMap(SessionEffect.ZeroMap x) {
      throw new IllegalStateException("no test asks for " + x);
    }

    @Override
    public void mounted(SessionEffect.Mounted x) {}

    @Override
    public void lookUp(SessionEffect.LookUp x) {}

    @Override
    public void wentBack(SessionEffect.WentBack x) {
      perform(session.noted(x, 0));
    }

    @Override
    public void stalled(Stalled x) {}

    @Override
    public void disagree(SessionEffect.Disagree x) {}

    @Override
    public void unreadable(SessionEffect.Unreadable x) {}

    @Override
    public void readable(SessionEffect.Readable x) {}
  }

  /** A member and its disk. */
  private final class Server implements MemberEffect.Handler {
    private final Endpoint.Member self;
    private final RegionMember core;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private byte[] log = new byte[1 << 20];
    private int length;
    private int synced;
    private boolean stalled;

    Server(int region, int place) {
      this.self = at(region, place);
      this.core =
          new RegionMember(
              spec,
              new Seat(self.region(), EPOCH, MEMBERS, place),
              signer,
              new MemberConfig(Long.MAX_VALUE, 1 << 20));
    }

    byte[] bytes() {
      return Arrays.copyOf(log, length);
    }

    private void later(Runnable event) {
      (stalled ? waiting : events).add(event);
    }

    void perform(List<MemberEffect> effects) {
      effects.forEach(e -> e.performBy(this));
    }

    private void next(Supplier<List<MemberEffect>> event) {
      events.add(() -> perform(event.get()));
    }

    @Override
    public void send(Send x) {
      PaperVolume.this.send(self, x);
    }

    @Override
    public void append(MemberEffect.Append x) {
      synced += x.sync() ? 1 : 0;
      later(() -> reachDisk(x));
    }

    @Override
    public void registerEpoch(MemberEffect.RegisterEpoch x) {
      next(() -> core.onRegistered(true, 0));
    }

    @Override
    public void createSegment(MemberEffect.CreateSegment x) {
      permissions.add(x.permission());
      next(() -> core.onSegmentCreated(x.segment(), true, false, 0));
    }

    @Override
    public void tidy(MemberEffect.Tidy x) {
      permissions.add(x.permission());
    }

    @Override
    public void scanLog(MemberEffect.ScanLog x) {
      next(() -> core.onScanned(LogScan.Found.NOTHING, 0));
    }

    @Override
    public void recoverSegments(MemberEffect.RecoverSegments x) {
      next(() -> core.onRecovered(true, 0));
    }

    @Override
    public void replayLog(MemberEffect.ReplayLog x) {
      next(() -> core.onReplayed(0));
    }

    @Override
    public void loadRoots(MemberEffect.LoadRoots x) {
      next(() -> core.onRootsLoaded(0));
    }

    @Override
    public void serving(MemberEffect.Serving x) {}

    @Override
    public void suspect(MemberEffect.Suspect x) {}

    @Override
    public void stalled(Stalled x) {
      complaints.add(x);
    }

    @Override
    public void unable(MemberEffect.Unable x) {}

    @Override
    public void createCheckpoint(MemberEffect.CreateCheckpoint x) {
      throw neverFlushed(x);
    }

    @Override
    public void flush(MemberEffect.Flush x) {
      throw neverFlushed(x);
    }

    @Override
    public void compact(MemberEffect.Compact x) {
      throw neverFlushed(x);
    }

    @Override
    public void loadPages(MemberEffect.LoadPages x) {
      throw neverFlushed(x);
    }

    private IllegalStateException neverFlushed(MemberEffect x) {
      return new IllegalStateException("no segment of this volume is ever flushed: " + x);
    }

    private void reachDisk(MemberEffect.Append x) {
      length = (int) x.at().offset();
      for (ByteBuffer b : x.bytes()) {
        ByteBuffer from = b.duplicate();
        int count = from.remaining();
        from.get(log, length, count);
        length += count;
      }
      perform(core.onDurable(x.at().plus(length - x.at().offset()), 0));
    }

    @Override
    public void serveGet(MemberEffect.ServeGet g) {
      ReadAssembly read = new ReadAssembly(g, spec.blockSize());
      boolean ok = read.run((segment, at, into) -> source(bytes()).read(at, into), List.of());
      Message reply = new Message.GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok);
      PaperVolume.this.send(self, new Send(g.to(), reply, ok ? read.data() : null));
    }
  }
}
