package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.SegmentEnd;
import org.salus.core.session.SessionConfig;

/** One run: a cluster of four nodes, one volume, its clients, and what befalls them. */
public final class Simulation {
  private static final int NODES = 4;
  private static final int MEMBERS = 3;
  private static final long RESEND = 200 * Clock.MILLI;
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
  private final Map<RegionId, TreeSet<Long>> files = new TreeMap<>();
  private final Map<RegionId, TreeSet<Long>> checkpointFiles = new TreeMap<>();
  private final Map<Integer, List<SimNode>> rrs = new TreeMap<>();
  private final int[] epochs;
  private final TreeMap<Integer, Integer> serving = new TreeMap<>();
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
    this.checks = new Checks(this, spec, MEMBERS);
    this.epochs = new int[spec.regionCount()];
    this.workload = new Workload(this, fork());
    for (int i = 0; i < NODES; i++) {
      nodes.add(new SimNode("node" + i));
    }
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

  TreeSet<Long> files(RegionId r) {
    return files.computeIfAbsent(r, k -> new TreeSet<>());
  }

  TreeSet<Long> checkpointFiles(RegionId r) {
    return checkpointFiles.computeIfAbsent(r, k -> new TreeSet<>());
  }

  TreeMap<Integer, Integer> servingEpochs() {
    return serving;
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
    for (int r = 0; r < spec.regionCount(); r++) {
      openEpoch(r);
    }
    mount();
    if (chaos) {
      planFaults();
    }
    workload.start(options.requests());
    runUntil(workload::issuedAll, 3_600 * Clock.SECOND);
    chaos = false;
    network.setFaulty(false);
    trace("healing");
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

  // ---- the master ----

  private void openEpoch(int region) {
    RegionId id = spec.regionId(region);
    List<SimNode> members = rrs.computeIfAbsent(region, k -> choose(region));
    Collections.shuffle(members, random);
    epochs[region]++;
    serving.remove(region);
    List<String> names = members.stream().map(n -> n.name).toList();
    trace("open region " + region + " epoch " + epochs[region] + " " + names);
    for (int lane = 0; lane < members.size(); lane++) {
      SimNode n = members.get(lane);
      RegionMember m = options.members().make(spec, id, epochs[region], names, lane, signer, new MemberConfig(RESEND, 4));
      n.members.put(id, new MemberHost(this, n, id, epochs[region], lane, m, fork()));
    }
    members.forEach(n -> n.members.get(id).start());
  }

  private List<SimNode> choose(int region) {
    List<SimNode> chosen = new ArrayList<>();
    for (int i = 0; i < MEMBERS; i++) {
      chosen.add(nodes.get((region + i) % NODES));
    }
    return chosen;
  }

  void serving(MemberHost m) {
    if (m.epoch == epochs[m.region.index()]) {
      trace("region " + m.region.index() + " serves epoch " + m.epoch);
      serving.put(m.region.index(), m.epoch);
      sessions.values().forEach(s -> s.rrs(m.region.index(), m.epoch));
    }
  }

  /** HDFS' part of recovery: every replica gets the bytes of a valid one, files that are not named go. */
  boolean recover(MemberHost by, List<SegmentEnd> segments) {
    if (by.epoch != epochs[by.region.index()]) {
      return false;
    }
    TreeSet<Long> named = new TreeSet<>();
    List<SimNode> members = rrs.get(by.region.index());
    for (SegmentEnd s : segments) {
      named.add(s.segment());
      byte[] good = null;
      for (SimNode n : members) {
        if (by.validLength(n.disk(by.region), s.segment()) >= s.length()) {
          good = n.disk(by.region).segment(s.segment()).prefix(s.length());
        }
      }
      if (good == null) {
        throw new Violation("P3 prefix", "no replica of " + by.region + " holds " + s);
      }
      for (SimNode n : members) {
        n.disk(by.region).segment(s.segment()).set(good);
      }
    }
    files(by.region).retainAll(named);
    members.forEach(n -> n.disk(by.region).segments.keySet().retainAll(named));
    checks.disksChanged(hosts());
    return true;
  }

  /** The files that a manifest lets go of are deleted everywhere. */
  void tidy(MemberHost by, Effect.Tidy t) {
    if (by.epoch != epochs[by.region.index()]) {
      return;
    }
    files(by.region).removeIf(s -> t.manifest().discards(s, t.segment()));
    checkpointFiles(by.region).removeIf(t.manifest()::discardsCheckpoint);
    for (SimNode n : rrs.get(by.region.index())) {
      n.disk(by.region).segments.keySet().removeIf(s -> t.manifest().discards(s, t.segment()));
      n.disk(by.region).checkpoints.keySet().removeIf(t.manifest()::discardsCheckpoint);
    }
  }

  private List<MemberHost> hosts() {
    List<MemberHost> all = new ArrayList<>();
    nodes.forEach(n -> all.addAll(n.members.values()));
    return all;
  }

  // ---- clients ----

  private void mount() {
    mountEpoch++;
    SessionConfig config = new SessionConfig(16, 24, RESEND, 600 * Clock.SECOND, 256, MEMBERS);
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
      int kind = random.nextInt(5);
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
        crashServers(false);
      }
      case 3 -> {
        trace("fault: everything crashes");
        sessions.values().forEach(SessionHost::kill);
        crashServers(false);
        mount();
      }
      default -> {
        // a replicated volume may lose in a power cut what its regions' watermarks prove, and then refuses to mount
        trace(spec.synced() ? "fault: power cut" : "fault: everything crashes");
        sessions.values().forEach(SessionHost::kill);
        crashServers(spec.synced());
        mount();
      }
    }
  }

  private void crashServers(boolean power) {
    hosts().forEach(MemberHost::kill);
    if (power) {
      nodes.forEach(n -> n.disks.values().forEach(d -> d.powerCut(random)));
      checks.powerCut();
    }
    for (int r = 0; r < spec.regionCount(); r++) {
      openEpoch(r);
    }
    checks.disksChanged(hosts());
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
        MemberHost host = memberAt(d);
        if (host != null) {
          host.deliver(from, m, payload);
        }
      }
    });
  }

  private MemberHost memberAt(Endpoint.Member d) {
    List<SimNode> members = rrs.get(d.region().index());
    return d.lane() < members.size() ? members.get(d.lane()).members.get(d.region()) : null;
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
