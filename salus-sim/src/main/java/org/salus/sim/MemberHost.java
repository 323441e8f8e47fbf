package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointLookup;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.effect.Effect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.member.RegionMember;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.core.tree.TreeShape;

/** Performs a member's effects on simulated disks and network. */
final class MemberHost {
  private final Simulation sim;
  final SimNode node;
  final RegionId region;
  final int epoch;
  /** In the chain. */
  final int place;
  final List<Integer> lanes;
  final RegionMember member;
  private final SimDisk disk;
  private final Random random;
  private final Deque<Effect.Append> appends = new ArrayDeque<>();
  private long diskFree;
  private boolean started;
  private boolean dead;

  MemberHost(Simulation sim, SimNode node, RegionId region, int epoch, int place, List<Integer> lanes, RegionMember member, Random random) {
    this.sim = sim;
    this.node = node;
    this.region = region;
    this.epoch = epoch;
    this.place = place;
    this.lanes = lanes;
    this.member = member;
    this.disk = node.disk(region);
    this.random = random;
  }

  /** Once the process has heard of the epoch: the region's member before it on this node stops first. */
  void start() {
    after(0, () -> {
      node.stopUnaware(region);
      started = true;
      perform(member.start(sim.now()));
      tick();
    });
  }

  private void tick() {
    after(50 * Clock.MILLI, () -> {
      perform(member.onTick(sim.now()));
      tick();
    });
  }

  private void after(long nanos, Runnable what) {
    sim.clock.after(nanos, () -> unlessPaused(what));
  }

  private void onDisk(Runnable what) {
    onDisk(delay(), what);
  }

  /** A member whose replicas a later epoch has fenced finds nothing there and ends. */
  private void onDisk(long nanos, Runnable what) {
    after(nanos, () -> {
      if (sim.master().isFenced(this)) {
        sim.trace(node.name + " has lost its replicas of region " + region.index() + " in epoch " + epoch);
        dead = true;
      } else {
        what.run();
      }
    });
  }

  private void unlessPaused(Runnable what) {
    if (!dead && sim.now() < node.pausedUntil) {
      sim.clock.at(node.pausedUntil, () -> unlessPaused(what));
    } else if (!dead) {
      what.run();
    }
  }

  void deliver(Endpoint from, Message m, ByteBuffer payload) {
    unlessPaused(() -> {
      if (started) {
        perform(member.onMessage(from, m, payload, sim.now()));
      }
    });
  }

  /** The process dies; of the appends under way any prefix may have reached the DataNode, the last one torn. */
  void kill() {
    dead = true;
    while (!sim.master().isFenced(this) && !appends.isEmpty() && random.nextInt(3) > 0) {
      Effect.Append a = appends.poll();
      byte[] bytes = join(a);
      int n = random.nextBoolean() ? bytes.length : random.nextInt(bytes.length + 1);
      disk.segment(a.at().segment()).append(a.at().offset(), ByteBuffer.wrap(bytes, 0, n));
      if (n < bytes.length) {
        return;
      }
    }
  }

  private void perform(List<Effect> effects) {
    effects.forEach(this::performOne);
  }

  private void performOne(Effect e) {
    if (e instanceof Effect.Send x) {
      sim.send(new Endpoint.Member(region, place), node.name, x);
    } else if (e instanceof Effect.Append x) {
      append(x);
    } else if (e instanceof Effect.ScanLog) {
      onDisk(() -> perform(member.onScanned(scan(), sim.now())));
    } else if (e instanceof Effect.CreateSegment x) {
      after(delay(), () -> create(x));
    } else if (e instanceof Effect.RecoverSegments x) {
      after(delay(), () -> perform(member.onRecovered(sim.master().recover(this, x.segments()), sim.now())));
    } else if (e instanceof Effect.ReplayLog x) {
      onDisk(() -> replay(x.segments()));
    } else if (e instanceof Effect.Serving) {
      sim.serving(this);
    } else if (e instanceof Effect.Suspect x) {
      after(delay(), () -> sim.master().suspect(this, x));
    } else if (e instanceof Effect.ServeGet x) {
      onDisk(() -> serve(x));
    } else {
      performOnCheckpoints(e);
    }
  }

  private void performOnCheckpoints(Effect e) {
    if (e instanceof Effect.Tidy x) {
      if (x.primary()) {
        after(delay(), () -> sim.master().tidy(this, x));
      }
    } else if (e instanceof Effect.CreateCheckpoint x) {
      after(delay(), () -> sim.master().createCheckpoint(this, x.checkpoint()));
    } else if (e instanceof Effect.Flush x) {
      build(x.checkpoint(), "segment " + x.segment(), b -> b.flush(x.content(), disk.segment(x.segment()), checkpoints(x.older())));
    } else if (e instanceof Effect.Compact x) {
      build(x.checkpoint(), "checkpoints " + x.inputs(), b -> b.compact(checkpoints(x.inputs()), x.oldest()));
    } else if (e instanceof Effect.LoadPages x) {
      x.pages().forEach(page -> onDisk(() -> load(x, page)));
    } else if (e instanceof Effect.LoadRoots x) {
      onDisk(() -> {
        checkpoints(x.checkpoints()).forEach(c -> c.roots(member::onRoot));
        perform(member.onRootsLoaded(sim.now()));
      });
    } else if (e instanceof Effect.Unable x) {
      throw new IllegalStateException(node.name + " with an honest disk: " + x.why());
    }
  }

  private List<SimCheckpoint> checkpoints(List<Long> ids) {
    return ids.stream().map(id -> {
      SimCheckpoint c = disk.checkpoints.get(id);
      if (c == null) {
        throw new IllegalStateException(node.name + " has no checkpoint " + id + " of " + region);
      }
      return c;
    }).toList();
  }

  private interface Build {
    CheckpointBuilder.Roots run(CheckpointBuilder b) throws UnreadableException;
  }

  /** Takes a while, and begins when the file is there. */
  private void build(long id, String of, Build how) {
    onDisk(delay() * random.nextInt(40), () -> {
      if (!sim.master().checkpointFiles(region).contains(id)) {
        build(id, of, how);
        return;
      }
      SimCheckpoint made = new SimCheckpoint();
      try {
        CheckpointBuilder.Roots roots = how.run(new CheckpointBuilder(shape().width(0), sim.spec.blockSize(), made));
        disk.checkpoints.put(id, made);
        sim.trace(node.name + " built checkpoint " + id + " of region " + region.index() + " from " + of + ", " + made.length() + " bytes");
        perform(member.onBuilt(id, made.length(), made.crc(), roots, sim.now()));
      } catch (UnreadableException e) {
        throw new IllegalStateException("an honest disk", e);
      }
    });
  }

  private TreeShape shape() {
    return new TreeShape(sim.spec.regionBlocks());
  }

  private void load(Effect.LoadPages x, long page) {
    try {
      byte[] leaves = CheckpointLookup.page(page, checkpoints(x.checkpoints())).children(shape().width(0));
      perform(member.onPageLoaded(x.version(), page, leaves, sim.now()));
    } catch (UnreadableException e) {
      throw new IllegalStateException("an honest disk", e);
    }
  }

  private long delay() {
    return Clock.MICRO * (50 + random.nextInt(300));
  }

  private void append(Effect.Append a) {
    appends.add(a);
    diskFree = Math.max(diskFree, sim.now()) + delay() + (random.nextInt(200) == 0 ? 20 * Clock.MILLI : 0);
    sim.clock.at(diskFree, () -> unlessPaused(() -> write(a)));
  }

  private void write(Effect.Append a) {
    appends.poll();
    if (sim.master().isFenced(this)) {
      sim.trace(node.name + " can write no more in epoch " + epoch + " of region " + region.index());
      dead = true;
      return;
    }
    byte[] bytes = join(a);
    disk.segment(a.at().segment()).append(a.at().offset(), ByteBuffer.wrap(bytes));
    if (a.sync()) {
      disk.segments.headMap(a.at().segment(), true).values().forEach(SimDisk.Replica::sync);
    }
    sim.checks.appended(this, a.at().segment());
    perform(member.onDurable(a.at().plus(bytes.length), sim.now()));
  }

  private static byte[] join(Effect.Append a) {
    ByteBuffer b = ByteBuffer.allocate(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum());
    a.bytes().forEach(x -> b.put(x.duplicate()));
    return b.array();
  }

  private List<SegmentEnd> scan() {
    List<SegmentEnd> ends = new ArrayList<>();
    for (long s : sim.master().files(region)) {
      ends.add(new SegmentEnd(s, validLength(disk, s)));
    }
    return ends;
  }

  long validLength(SimDisk of, long segment) {
    LogReader reader = new LogReader(of.segment(segment), region, segment, sim.signer());
    while (reader.next() != null) {
      continue;
    }
    return reader.end();
  }

  private void create(Effect.CreateSegment x) {
    boolean ok = (!sim.isChaos() || random.nextInt(20) > 0) && sim.master().createSegment(this, x.segment());
    perform(member.onSegmentCreated(x.segment(), ok, false, sim.now()));
  }

  private void replay(List<SegmentEnd> segments) {
    for (SegmentEnd s : segments) {
      LogReader reader = new LogReader(disk.segment(s.segment()), region, s.segment(), sim.signer());
      while (reader.end() < s.length()) {
        LogRecord r = reader.next();
        if (r == null) {
          throw new IllegalStateException("recovered segment " + s + " ends at " + reader.end() + " on " + node.name);
        }
        member.onReplay(r, sim.now());
      }
    }
    perform(member.onReplayed(sim.now()));
  }

  private void serve(Effect.ServeGet g) {
    ReadAssembly read = new ReadAssembly(g, sim.spec.blockSize());
    boolean ok = read.run((segment, offset, into) -> disk.segments.containsKey(segment) && disk.segment(segment).read(offset, into),
        disk.checkpoints.keySet().containsAll(g.checkpoints()) ? checkpoints(g.checkpoints()) : null);
    GetReply reply = new GetReply(g.id(), g.lane(), read.zeroBits(), appends.size(), !ok);
    sim.send(new Endpoint.Member(region, place), node.name, new Effect.Send(g.to(), reply, ok ? read.data() : null));
  }

  /** Where each of its segments' own replicas stands. */
  TreeMap<Long, SimDisk.Replica> replicas() {
    return disk.segments;
  }
}
