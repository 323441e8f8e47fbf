package org.salus.sim;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.event.MemberEvents;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.core.tree.TreeShape;
import org.salus.sim.check.Violation;
import org.salus.sim.store.SimCheckpoint;
import org.salus.sim.store.SimDisk;

/**
 * Performs a member's effects on simulated disks and network. It handles failures as the region
 * server does.
 */
final class SimMember implements MemberEffect.Handler {
  /** The time after which files are tidied again if the NameNode is away, in nanoseconds. */
  private static final long TIDY_AGAIN = Clock.SECOND / 2;

  private final Simulation sim;
  final SimNode node;

  /** The machine of its DataNode. */
  final SimNode store;

  final RegionId region;
  final EpochLink link;
  final int epoch;

  /** The members of this epoch, in chain order. */
  final List<SimNode> members;

  /** The machines of their DataNodes. */
  final List<SimNode> stores;

  /** The member's place in the chain, 0 to 2. */
  final int place;

  final List<Integer> lanes;
  private final SimDisk disk;
  private final SimReach reach;
  private final SimReplicas replicas;
  private final Random random;
  private final Deque<MemberEffect.Append> appends = new ArrayDeque<>();

  /** The stamp under which it writes each segment. */
  private final TreeMap<Long, Long> written = new TreeMap<>();

  /** The replicas that it writes, by segment, as the DataNode names them. */
  private final TreeMap<Long, String> blocks = new TreeMap<>();

  private MemberEvents member;
  private long diskFree;
  private boolean started;
  private boolean dead;

  SimMember(
      Simulation sim,
      SimNode node,
      EpochLink link,
      List<SimNode> members,
      List<SimNode> stores,
      int place,
      Random random) {
    this.sim = sim;
    this.node = node;
    this.store = stores.get(place);
    this.stores = stores;
    this.link = link;
    this.region = link.region();
    this.epoch = link.epoch();
    this.members = members;
    this.place = place;
    this.lanes = Lanes.of(place, members.size());
    this.disk = store.disk(region);
    this.random = random;
    this.reach = new SimReach(sim, node, store, random);
    this.replicas = new SimReplicas(sim, reach, link);
  }

  /** The way to another DataNode, with chances of its own. */
  SimReach reachTo(SimNode other) {
    return new SimReach(sim, node, other, new Random(sim.now() ^ other.name.hashCode()));
  }

  void drive(MemberEvents driven) {
    member = driven;
  }

  /**
   * Starts once the process has heard of the epoch. The region's previous member on this node stops
   * first.
   */
  void start() {
    after(
        0,
        () -> {
          node.stopUnaware(region);
          started = true;
          event(() -> member.start(now()));
          tick();
        });
  }

  private void tick() {
    after(
        50 * Clock.MILLI,
        () -> {
          event(() -> member.onTick(now()));
          tick();
        });
  }

  private long now() {
    return sim.now() + node.skew;
  }

  private void after(long nanos, Runnable what) {
    sim.clock.after(nanos, () -> unlessPaused(what));
  }

  private void onDisk(Runnable what) {
    onDisk(delay(), what);
  }

  /**
   * Runs an action after a time at the disk. A member whose replicas a later epoch has fenced ends
   * instead.
   */
  private void onDisk(long nanos, Runnable what) {
    after(
        nanos,
        () -> {
          if (isFenced()) {
            sim.trace(
                node.name
                    + " has lost its replicas of region "
                    + region.index()
                    + " in epoch "
                    + epoch);
            dead = true;
          } else {
            what.run();
          }
        });
  }

  /**
   * Whether a later epoch has fenced its replicas. A DataNode that is cut off has not heard of it.
   */
  private boolean isFenced() {
    return !store.cutOff && sim.nameNode().isFenced(this);
  }

  /** Whether its DataNode takes no more appends to the replica. */
  private boolean isFenced(MemberEffect.Append a) {
    String name = blocks.computeIfAbsent(a.at().segment(), s -> sim.nameNode().name(region, s));
    return !store.floors().mayAppend(name);
  }

  private void unlessPaused(Runnable what) {
    if (!dead && sim.now() < node.pausedUntil) {
      sim.clock.at(node.pausedUntil, () -> unlessPaused(what));
    } else if (!dead) {
      what.run();
    }
  }

  void deliver(Endpoint from, Message m, ByteBuffer payload) {
    unlessPaused(
        () -> {
          if (started) {
            event(() -> member.onMessage(from, m, payload, now()));
          }
        });
  }

  /**
   * The process dies. Any prefix of the appends under way may have reached the DataNode, the last
   * one torn.
   */
  void kill() {
    dead = true;
    while (reach.mayAppend()
        && !isFenced()
        && !appends.isEmpty()
        && !isFenced(appends.peek())
        && !isCutOff(appends.peek())
        && random.nextInt(3) > 0) {
      MemberEffect.Append a = appends.poll();
      byte[] bytes = join(a);
      int n = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length + 1);
      store(a, ByteBuffer.wrap(bytes, 0, n));
      if (n < bytes.length) {
        return;
      }
    }
  }

  /** The member cannot go on, so its region needs a new epoch. */
  private void fail(String why) {
    if (!dead) {
      end(why, () -> sim.master().stopped(this, why));
    }
  }

  /** The DataNode on another machine is out of reach, which proves nothing against the member. */
  private void loseReplica() {
    endBlameless("its replica failed: the DataNode of " + store.name + " does not answer");
  }

  /** The member cannot go on, which proves nothing against it. */
  private void endBlameless(String why) {
    end(why, () -> sim.master().endedBlameless(this, why));
  }

  private void end(String why, Runnable tell) {
    dead = true;
    sim.trace(node.name + " stops its member of region " + region.index() + ": " + why);
    sim.clock.after(delay(), tell);
  }

  /**
   * Gives the member an event. A bug stops the member, or the run if nothing is wrong with the
   * node.
   */
  private void event(Supplier<List<MemberEffect>> what) {
    List<MemberEffect> effects;
    try {
      effects = what.get();
    } catch (RuntimeException bug) {
      if (bug instanceof Violation || !node.isWrong()) {
        throw bug;
      }
      fail("bug: " + bug);
      return;
    }
    effects.forEach(e -> e.performBy(this));
  }

  /** Gives the member an event that has no effects. */
  private void tell(Runnable what) {
    event(
        () -> {
          what.run();
          return List.of();
        });
  }

  // ---- messages and words to the master ----

  @Override
  public void send(Send x) {
    sim.send(this, x);
  }

  @Override
  public void serving(MemberEffect.Serving x) {
    sim.serving(this);
  }

  @Override
  public void suspect(MemberEffect.Suspect x) {
    after(delay(), () -> sim.master().suspect(this, x));
  }

  @Override
  public void stalled(Stalled x) {
    after(delay(), () -> sim.master().stalled(this, x));
  }

  @Override
  public void unable(MemberEffect.Unable x) {
    fail(x.why());
  }

  // ---- files at the NameNode ----

  @Override
  public void createSegment(MemberEffect.CreateSegment x) {
    after(delay(), () -> create(x));
  }

  private void create(MemberEffect.CreateSegment x) {
    boolean ok =
        (!sim.isChaos() || random.nextInt(20) > 0) && sim.nameNode().createSegment(this, x);
    event(() -> member.onSegmentCreated(x.segment(), ok, sim.nameNode().isFull(this), now()));
  }

  @Override
  public void createCheckpoint(MemberEffect.CreateCheckpoint x) {
    after(delay(), () -> sim.nameNode().createCheckpoint(this, x));
  }

  @Override
  public void recoverSegments(MemberEffect.RecoverSegments x) {
    after(delay(), () -> recover(x));
  }

  private void recover(MemberEffect.RecoverSegments x) {
    SimRecovery.Outcome r =
        sim.nameNode().isAway() ? SimRecovery.Outcome.FAILED : sim.recovery().recover(this, x);
    event(
        () ->
            r.refuted() != null
                ? member.onRefuted(r.refuted().holder(), r.refuted().end(), now())
                : r.behind().isEmpty()
                    ? member.onRecovered(r.ok(), now())
                    : member.onBehind(r.behind(), now()));
  }

  @Override
  public void tidy(MemberEffect.Tidy x) {
    if (!sim.nameNode().finishesFiles()) {
      after(TIDY_AGAIN, () -> tidy(x));
    } else if (x.primary()) { // another member has no reader of a deleted file open here
      after(delay(), () -> sim.nameNode().tidy(this, x));
    }
  }

  // ---- checkpoints ----

  private interface Build {
    CheckpointBuilder.Roots run(CheckpointBuilder b) throws UnreadableException;
  }

  @Override
  public void flush(MemberEffect.Flush x) {
    build(
        x.checkpoint(),
        "segment " + x.segment(),
        b -> b.flush(x.content(), x.segment(), replicas.checkpoints(x.older())));
  }

  @Override
  public void compact(MemberEffect.Compact x) {
    build(
        x.checkpoint(),
        "checkpoints " + x.inputs(),
        b -> b.compact(replicas.checkpoints(x.inputs()), x.oldest()));
  }

  /** Builds a checkpoint once the file exists. */
  private void build(long id, String of, Build how) {
    onDisk(
        whole(),
        () -> {
          if (!sim.nameNode().hasCheckpoint(region, id)) {
            build(id, of, how);
            return;
          }
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          try {
            CheckpointWriter file = new CheckpointWriter(out::write);
            CheckpointBuilder.Roots roots =
                how.run(new CheckpointBuilder(shape().width(0), sim.spec.blockSize(), file));
            file.finish();
            SimCheckpoint made = new SimCheckpoint(out.toByteArray(), sim.spec.blockSize());
            disk.checkpoints.put(id, made);
            sim.trace(
                node.name
                    + " built checkpoint "
                    + id
                    + " of region "
                    + region.index()
                    + " from "
                    + of
                    + ", "
                    + made.length()
                    + " bytes");
            event(() -> member.onBuilt(id, made.length(), made.crc(), roots, now()));
          } catch (UnreadableException e) {
            fail("cannot build checkpoint " + id + ": " + e.getMessage());
          }
        });
  }

  private TreeShape shape() {
    return new TreeShape(sim.spec.regionBlocks());
  }

  @Override
  public void loadPages(MemberEffect.LoadPages x) {
    x.pages().forEach(page -> onDisk(whole(), () -> load(x, page)));
  }

  private void load(MemberEffect.LoadPages x, long page) {
    try {
      byte[] leaves =
          CheckpointLookup.page(page, replicas.checkpoints(x.checkpoints()))
              .children(shape().width(0));
      event(() -> member.onPageLoaded(x.version(), page, leaves, now()));
    } catch (UnreadableException e) {
      event(() -> member.onPageUnreadable(x.version(), e.getMessage(), now()));
    }
  }

  @Override
  public void loadRoots(MemberEffect.LoadRoots x) {
    onDisk(whole(), () -> readRoots(x));
  }

  private void readRoots(MemberEffect.LoadRoots x) {
    try {
      for (CheckpointReader c : replicas.checkpoints(x.checkpoints())) {
        c.roots(member::onRoot);
      }
      event(() -> member.onRootsLoaded(now()));
    } catch (UnreadableException e) {
      fail(e.getMessage());
    }
  }

  // ---- the log ----

  private long delay() {
    return Clock.MICRO * (50 + random.nextInt(300));
  }

  /** The time for work on more than a few blocks, in nanoseconds. */
  private long whole() {
    return delay() * random.nextInt(40);
  }

  @Override
  public void append(MemberEffect.Append a) {
    appends.add(a);
    diskFree =
        Math.max(diskFree, sim.now()) + delay() + (random.nextInt(200) == 0 ? 20 * Clock.MILLI : 0);
    diskFree += reach.late();
    sim.clock.at(diskFree, () -> unlessPaused(() -> write(a)));
  }

  private void write(MemberEffect.Append a) {
    appends.poll();
    if (isFenced() || isFenced(a)) {
      sim.trace(
          node.name + " can write no more in epoch " + epoch + " of region " + region.index());
      dead = true;
      return;
    }
    if (!reach.mayAppend()) {
      loseReplica();
      return;
    }
    if (store.broken) {
      fail("its replica failed: input/output error");
      return;
    }
    if (isCutOff(a)) {
      fail("its replica failed: it has got another stamp");
      return;
    }
    if (a.at().offset() == 0 && sim.nameNode().created(region, a.at().segment()) > epoch) {
      fail("its replica failed: the file is a later epoch's, and is not on its DataNode");
      return;
    }
    byte[] bytes = join(a);
    store(a, ByteBuffer.wrap(bytes));
    if (a.sync()) {
      disk.segments.headMap(a.at().segment(), true).values().forEach(SimDisk.Replica::sync);
    }
    sim.checks.appended(this, a.at().segment());
    event(() -> member.onDurable(a.at().plus(bytes.length), now()));
  }

  /**
   * Stores an append. A segment's replica is opened once the replica of the segment before it is
   * finished.
   */
  private void store(MemberEffect.Append a, ByteBuffer bytes) {
    if (a.at().offset() == 0) {
      disk.segments.remove(a.at().segment()); // left from a deleted file of that name
      disk.segments.headMap(a.at().segment()).values().forEach(SimDisk.Replica::sync);
      disk.segment(a.at().segment()).stamp = sim.nameNode().stamp(region, a.at().segment());
    }
    SimDisk.Replica replica = disk.segment(a.at().segment());
    replica.append(a.at().offset(), bytes);
    written.put(a.at().segment(), replica.stamp);
  }

  /**
   * Whether a replica that is being written has got another stamp, so that its writer is stopped.
   */
  private boolean isCutOff(MemberEffect.Append a) {
    SimDisk.Replica replica = disk.segments.get(a.at().segment());
    return a.at().offset() > 0
        && replica != null
        && written.getOrDefault(a.at().segment(), replica.stamp) != replica.stamp;
  }

  private static byte[] join(MemberEffect.Append a) {
    ByteBuffer b = ByteBuffer.allocate(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum());
    a.bytes().forEach(x -> b.put(x.duplicate()));
    return b.array();
  }

  /** Shows the NameNode the epoch, and then reads the log. */
  @Override
  public void scanLog(MemberEffect.ScanLog x) {
    after(
        5 * delay(),
        () -> {
          String refusal = sim.nameNode().take(region, EpochRegister.opens(link));
          if (sim.nameNode().isAway()) {
            endBlameless("cannot read its log: " + refusal);
          } else if (refusal == null) {
            LogBefore before = sim.nameNode().register(region).before();
            onDisk(() -> scan(x.known(), before));
          } else {
            sim.master().refused(this, refusal);
          }
        });
  }

  @Override
  public void registerEpoch(MemberEffect.RegisterEpoch x) {
    after(
        5 * delay(),
        () -> {
          sim.counting().count(this, x.proof());
          String refusal = sim.nameNode().take(region, EpochRegister.serves(x.proof()));
          event(() -> member.onRegistered(refusal == null, now()));
        });
  }

  private void scan(KnownLog known, LogBefore before) {
    if (!reach.mayRead()) {
      loseReplica();
      return;
    }
    LogScan.Found found = replicas.scan(known, before, stores);
    if (found == null && replicas.hasBrokenOff()) {
      loseReplica();
    } else if (found == null) {
      endBlameless("the log does not reach epoch " + link.served());
    } else {
      event(() -> member.onScanned(found, now()));
    }
  }

  @Override
  public void replayLog(MemberEffect.ReplayLog x) {
    onDisk(() -> replay(x));
  }

  private void replay(MemberEffect.ReplayLog log) {
    if (sim.nameNode().isAway()) {
      endBlameless("cannot replay its log: the NameNode does not answer");
      return;
    }
    LogReader.Mark from = log.from();
    for (SegmentEnd s : log.segments()) {
      boolean whole = replicas.replay(s, from, r -> tell(() -> member.onReplay(r, now())));
      if (!whole) {
        event(() -> member.onReplayFailed(s, "no replica of " + s + " is valid to its end", now()));
        return;
      }
      from = null;
    }
    for (SegmentEnd s : log.agreed()) {
      OwnReplica own = replicas.own(s);
      if (own == null) {
        loseReplica();
        return;
      }
      tell(() -> member.onOwnReplica(own, now()));
    }
    if (!dead) {
      event(() -> member.onReplayed(now()));
    }
  }

  @Override
  public void serveGet(MemberEffect.ServeGet x) {
    onDisk(() -> serve(x));
  }

  private void serve(MemberEffect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, sim.spec.blockSize());
    boolean ok = read.run(replicas::read, replicas.checkpoints(g.checkpoints()));
    GetReply reply = new GetReply(g.id(), g.lane(), read.zeroBits(), appends.size(), !ok);
    sim.send(this, new Send(g.to(), reply, ok ? read.data() : null));
  }
}
