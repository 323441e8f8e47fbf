package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.message.Message.Commit;
import org.salus.core.session.SessionConfig;

/** One run: a cluster of four nodes, one volume, its clients, and what befalls them. */
public final class Simulation {
  private static final int NODES = 4;
  static final long RESEND = 200 * Clock.MILLI;
  /** After the faults stop everything must be done within this time. */
  private static final long HEALING = 120 * Clock.SECOND;

  final Clock clock = new Clock();
  final VolumeSpec spec;
  final Checks checks;
  private final SimOptions options;
  private final Random random;
  private final SimNetwork network;
  private final Signer signer = new Signer(new byte[0]);
  private final List<SimNode> nodes = new ArrayList<>();
  private final SimMaster master;
  private final TreeMap<Long, SessionHost> sessions = new TreeMap<>();
  private final Workload workload;
  private long mountEpoch;
  private boolean chaos;
  private long steps;

  public Simulation(long seed, SimOptions options) {
    this.options = options;
    this.random = new Random(seed);
    this.chaos = options.chaos();
    this.spec = new VolumeSpec(
        "sim", seed, VolumeSpec.MIN_BLOCK, 200 + random.nextInt(1200), 1 + random.nextInt(4), random.nextInt(3) == 0,
        VolumeSpec.MIN_SEGMENT << random.nextInt(3));
    this.network = new SimNetwork(clock, fork());
    this.checks = new Checks(this, spec);
    this.workload = new Workload(this, fork());
    for (int i = 0; i < NODES; i++) {
      nodes.add(new SimNode("node" + i));
    }
    this.master = new SimMaster(this, spec, nodes, options, fork());
  }

  private Random fork() {
    return new Random(random.nextLong());
  }

  long now() {
    return clock.now();
  }

  Signer signer() {
    return signer;
  }

  boolean isChaos() {
    return chaos;
  }

  long smallDelay() {
    return Clock.MICRO * (100 + random.nextInt(2000));
  }

  void trace(String line) {
    if (options.trace() != null) {
      options.trace().accept(String.format("%12.6f %s", clock.now() / 1e9, line));
    }
  }

  /**
   * Runs to the end.
   *
   * @throws Violation when a property does not hold
   */
  public void run() {
    trace(spec.regionCount() + " regions, " + spec.blockCount() + " blocks, " + (spec.synced() ? "synced" : "replicated"));
    network.setFaulty(chaos);
    master.openAll();
    mount();
    if (chaos) {
      planFaults();
    }
    workload.start(options.requests());
    runUntil(workload::issuedAll, 3_600 * Clock.SECOND);
    chaos = false;
    network.setFaulty(false);
    trace("healing");
    nodes.forEach(n -> n.up = true);
    master.found();
    SessionHost live = sessions.lastEntry().getValue();
    runUntil(() -> live.session.mounted() && live.outstanding.isEmpty(), HEALING);
    workload.readBack(live);
    runUntil(() -> live.outstanding.isEmpty(), HEALING);
  }

  /** Events that the run took. */
  public long steps() {
    return steps;
  }

  private void runUntil(BooleanSupplier done, long within) {
    long end = clock.now() + within;
    while (!done.getAsBoolean()) {
      if (clock.now() > end || !clock.step()) {
        throw new Violation("P7 liveness", "not done " + within / Clock.SECOND + " s after the faults stopped");
      }
      steps++;
    }
  }

  // ---- servers ----

  SimMaster master() {
    return master;
  }

  void serving(MemberHost m) {
    if (master.serves(m)) {
      trace("region " + m.region.index() + " serves epoch " + m.epoch);
      sessions.values().forEach(s -> s.rrs(m.region.index(), m.epoch));
    }
  }

  /** Replicas were changed behind the members' backs. */
  void disksChanged() {
    checks.disksChanged(hosts());
  }

  /** A server stands still; the master takes it for gone, and it goes on later and hears of that later still. */
  private void pauseServer() {
    SimNode node = nodes.get(random.nextInt(nodes.size()));
    if (!node.up) {
      return;
    }
    long back = now() + Clock.MILLI * (50 + random.nextInt(2000));
    trace("fault: " + node.name + " stands still");
    node.pausedUntil = back;
    clock.after(Clock.MILLI * (10 + random.nextInt(500)), () -> {
      if (now() < back) {
        node.up = false;
        master.lost(node);
      }
    });
    clock.at(back + smallDelay() * 10, () -> {
      node.catchUp();
      if (!node.up) {
        trace(node.name + " is back from standing still");
        node.up = true;
        master.found();
      }
    });
  }

  private List<MemberHost> hosts() {
    List<MemberHost> all = new ArrayList<>();
    nodes.forEach(n -> all.addAll(n.members.values()));
    return all;
  }

  // ---- clients ----

  private void mount() {
    mountEpoch++;
    SessionConfig config = new SessionConfig(16, 24, RESEND, 600 * Clock.SECOND, 256);
    SessionHost s = new SessionHost(this, mountEpoch, options.sessions().make(spec, mountEpoch, signer, config));
    sessions.put(mountEpoch, s);
    trace("mount " + mountEpoch);
    s.start();
  }

  /** The session that a new request goes to: mostly the newest. */
  SessionHost client() {
    List<SessionHost> alive = sessions.values().stream().filter(s -> !s.isDead()).toList();
    return random.nextInt(4) == 0 ? alive.get(random.nextInt(alive.size())) : alive.get(alive.size() - 1);
  }

  // ---- faults ----

  private void planFaults() {
    int n = random.nextInt(4);
    for (int i = 0; i < n; i++) {
      long at = Clock.MILLI * (50 + random.nextInt(1500));
      int kind = random.nextInt(9);
      clock.at(at, () -> {
        if (chaos) {
          fault(kind);
        }
      });
    }
  }

  private void fault(int kind) {
    switch (kind) {
      case 0 -> {
        trace("fault: client crash");
        sessions.values().forEach(SessionHost::kill);
        mount();
      }
      case 1 -> {
        trace("fault: second client takes the volume over");
        mount();
      }
      case 2 -> {
        trace("fault: all servers crash");
        crashServers();
      }
      case 3 -> {
        trace("fault: everything crashes");
        sessions.values().forEach(SessionHost::kill);
        crashServers();
        mount();
      }
      case 4 -> {
        cutPower();
      }
      case 5 -> pauseServer();
      default -> crashServer();
    }
  }

  private void crashServers() {
    nodes.forEach(SimNode::crash);
    master.openAll();
    disksChanged();
  }

  /** Before the run: after so many nanoseconds power fails, of the client too. */
  public void planPowerCut(long after) {
    clock.after(after, this::cutPower);
  }

  /** Of the clients and of all servers, or all but one. */
  private void cutPower() {
    sessions.values().forEach(SessionHost::kill);
    List<SimNode> hit = new ArrayList<>(nodes);
    Collections.shuffle(hit, random);
    hit.subList(0, random.nextInt(2)).clear();
    trace("fault: power cut of " + hit.stream().map(n -> n.name).toList());
    BitSet losing = BitSet.valueOf(new long[] {random.nextLong()}); // regions, everything that was not synced
    hit.forEach(n -> {
      n.crash();
      n.disks.forEach((region, disk) -> disk.powerCut(losing.get(region.index()), random));
    });
    checks.powerCut();
    hit.forEach(master::lost);
    disksChanged();
    mount();
  }

  /** A server's processes die; the master notes it after a while, and they may be back before. */
  private void crashServer() {
    SimNode node = nodes.get(random.nextInt(nodes.size()));
    if (!node.up) {
      return;
    }
    trace("fault: " + node.name + " crashes");
    node.crash();
    node.up = false;
    clock.after(Clock.MILLI * (10 + random.nextInt(500)), () -> master.lost(node));
    clock.after(Clock.MILLI * (100 + random.nextInt(3000)), () -> {
      if (!node.up) {
        trace(node.name + " is back");
        node.up = true;
        clock.after(smallDelay(), master::found);
      }
    });
  }

  // ---- network ----

  void send(Endpoint from, String sender, Effect.Send x) {
    trace(sender + " -> " + Describe.endpoint(x.to()) + " " + Describe.message(x.message()));
    if (x.message() instanceof Commit c) {
      checks.commit(c);
    }
    network.send(x.message(), x.payload(), (m, payload) -> {
      if (x.to() instanceof Endpoint.Session s) {
        SessionHost host = sessions.get(s.mountEpoch());
        if (host != null) {
          host.deliver(from, m, payload);
        }
      } else if (x.to() instanceof Endpoint.Member d) {
        MemberHost host = master.member(d);
        if (host != null) {
          host.deliver(from, m, payload);
        }
      }
    });
  }

  /** A buffer with a block's worth of content for each of {@code count} blocks that no other write has. */
  ByteBuffer content(int count, Random of) {
    byte[] b = new byte[count * spec.blockSize()];
    for (int i = 0; i < count; i++) {
      ByteBuffer.wrap(b).putLong(i * spec.blockSize(), of.nextLong() | 1);
    }
    return ByteBuffer.wrap(b);
  }
}
