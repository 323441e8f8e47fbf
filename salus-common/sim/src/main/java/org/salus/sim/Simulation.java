package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.event.MemberEvents;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRules;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.Seat;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.MountRules;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.session.Room;
import org.salus.sim.check.Violation;
import org.salus.sim.fault.Budget;
import org.salus.sim.fault.Levers;
import org.salus.sim.fault.SimFault;
import org.salus.sim.parts.MemberMaker;

/** One run: a cluster of four nodes, one volume, its clients and the faults. */
public final class Simulation {
  private static final int FEWEST_NODES = 4;

  /** Makes another random source of the seed, which is not like that of the next seed. */
  private static final long SETTLER = 0x9e3779b97f4a7c15L;

  private static final long NOTES = 0xbf58476d1ce4e5b9L;

  private static final long RESTARTS = 0x94d049bb133111ebL;

  private static final long MEMBER_RESENDS = 100 * Clock.MILLI;

  private static final long FIRST_PAUSE = 200 * Clock.MILLI;

  /** Short, as all times here are. */
  private static final MountConfig LEASES = MountConfig.of(Clock.SECOND);

  /** The time within which everything must be done after the faults stop. */
  private static final long HEALING = 120 * Clock.SECOND;

  /** The time for each fault by which issuing the requests may take longer. */
  private static final long ISSUING = 200 * Clock.MILLI;

  /** How long each phase of a run beyond the promise is watched. */
  private static final long BEYOND = 10 * Clock.SECOND;

  /** The time before which all faults begin, whether or not requests are left. */
  private static final long CHAOS = 2 * Clock.SECOND;

  private static final long AFTERMATH = 5 * Clock.SECOND;

  final Clock clock = new Clock();
  final VolumeSpec spec;
  final Checks checks;
  private final SimOptions options;
  private final Random random;
  private final SimNetwork network;
  private final Signer signer = new Signer(new byte[0]);
  private final List<SimNode> nodes = new ArrayList<>();
  private final SimMaster master;
  private final SimWorkload workload;
  private final SimNameNode nameNode;
  private final SimRecovery recovery;
  private final SimCounting counting;
  private final SimLevers levers;
  private final Operator operator;
  private final Closer closer;
  private final Settler settler;
  private final Set<SimFault> underWay = new LinkedHashSet<>();
  private final SimZooKeeper zooKeeper;
  private final SimClients clients;
  private boolean chaos;
  private long steps;
  private long slowest;

  public Simulation(long seed, SimOptions options) {
    this.options = options;
    this.random = new Random(seed);
    this.chaos = options.chaos();
    this.spec =
        new VolumeSpec(
            "sim",
            seed,
            VolumeSpec.MIN_BLOCK,
            200 + random.nextInt(1200),
            1 + random.nextInt(4),
            random.nextInt(3) == 0,
            VolumeSpec.MIN_SEGMENT << random.nextInt(3));
    this.network = new SimNetwork(clock, options.deployed(), signer, fork());
    this.checks = new Checks(this, spec);
    this.workload = new SimWorkload(this, fork());
    int count = FEWEST_NODES + (Math.floorMod(seed, 4) == 3 ? 1 : 0);
    for (int i = 0; i < count; i++) {
      nodes.add(new SimNode("node" + i, rules()));
    }
    this.master = new SimMaster(this, spec, nodes, fork(), options.deployed());
    this.nameNode = new SimNameNode(this, nodes);
    this.recovery = new SimRecovery(this, master, nameNode, nodes);
    this.counting = new SimCounting(this, nameNode, nodes);
    this.levers = new SimLevers(this, nodes, network, options.beyond(), fork());
    this.operator = new Operator(this, fork());
    this.zooKeeper =
        new SimZooKeeper(this, fork(), new Random(seed * NOTES), options.rules().losses());
    this.clients = new SimClients(this, options, random, fork(), new Random(seed * RESTARTS));
    this.closer = new Closer(this, new Random(~seed));
    this.settler = new Settler(this, new Random(seed * SETTLER));
    nodes.stream()
        .filter(n -> options.faulty().contains(n.name) || options.beyond())
        .forEach(SimNode::setSuspicious);
    nodes.stream()
        .filter(n -> options.faulty().contains(n.name))
        .forEach(n -> checks.wrong(n, true));
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
    trace(
        spec.regionCount()
            + " regions, "
            + spec.blockCount()
            + " blocks, "
            + (spec.synced() ? "synced" : "replicated"));
    if (options.beyond()) {
      checks.beyondPromise();
    }
    network.setFaulty(chaos);
    master.start();
    clients.mount();
    if (chaos) {
      options.faults().draw(fork(), options.beyond()).forEach(this::plan);
    }
    workload.start(options.requests());
    operator.start();
    closer.start();
    settler.start();
    long patience = options.beyond() ? BEYOND : HEALING;
    runUntil(
        () -> clock.now() > CHAOS && (workload.issuedAll() || clients.waitInVain()),
        options.beyond() ? patience : patience + options.requests() * ISSUING);
    heal();
    runUntil(
        () -> clients.live().session.mounted() && clients.live().outstanding.isEmpty(), patience);
    if (clients.live().session.mounted()) {
      workload.readBack(clients.live());
      runUntil(() -> clients.live().outstanding.isEmpty(), patience);
    }
    runUntil(() -> clients.isSettled() && zooKeeper.notes().isIdle(), patience);
    checks.over();
  }

  private void plan(FaultPlan.Step step) {
    Random own = fork();
    clock.at(
        step.at(),
        () -> {
          if (chaos) {
            underWay.add(step.fault());
            step.fault().inject(levers, own);
            clock.at(step.until(), () -> end(step.fault()));
          }
        });
  }

  private void end(SimFault f) {
    if (underWay.remove(f)) {
      f.heal(levers);
    }
  }

  /** Stops the faults. Their consequences may still be on their way for a while. */
  private void heal() {
    chaos = false;
    network.setFaulty(false);
    trace("healing");
    List.copyOf(underWay).forEach(this::end);
    nodes.forEach(n -> levers.bringBack(n.name));
    master.found();
    long calm = clock.now() + AFTERMATH;
    runUntil(() -> clock.now() > calm, HEALING);
    checks.faultsStopped();
  }

  /** The number of events that the run took. */
  public long steps() {
    return steps;
  }

  /** The time of the slowest request, in virtual nanoseconds. */
  public long slowest() {
    return slowest;
  }

  void took(long nanos) {
    slowest = Math.max(slowest, nanos);
  }

  private void runUntil(BooleanSupplier done, long within) {
    long end = clock.now() + within;
    while (!done.getAsBoolean()) {
      if (clock.now() > end || !clock.step()) {
        checks.stuck("not done after " + within / Clock.SECOND + " s");
        return;
      }
      steps++;
    }
  }

  // ---- servers ----

  SimMaster master() {
    return master;
  }

  void serving(SimMember m) {
    if (master.serves(m)) {
      trace("region " + m.region.index() + " serves epoch " + m.epoch);
      checks.serves(m.region.index(), m.epoch);
      clients.serving(m.region.index(), m.epoch);
    }
  }

  /** Replicas were changed behind the members' backs. */
  void disksChanged() {
    checks.disksChanged(members());
  }

  MemberEvents makeMember(SimNode n, Seat seat) {
    MemberConfig config =
        new MemberConfig(options.deployed() ? MemberConfig.RESEND_AFTER_NANOS : MEMBER_RESENDS, 4);
    MemberMaker how = n.wrong == null ? options.rules().members() : n.wrong;
    return how.make(spec, seat, signer, config);
  }

  LogReader reader(LogReader.Source source, RegionId region, long segment) {
    return new LogReader(source, region, segment, signer, options.rules().readers());
  }

  /** The rules of the NameNode. */
  EpochRules epochRules() {
    return options.rules().epochs();
  }

  KeeperRules keeperRules() {
    return options.rules().keepers();
  }

  LogRules rules() {
    return options.rules().readers();
  }

  SimNameNode nameNode() {
    return nameNode;
  }

  SimRecovery recovery() {
    return recovery;
  }

  SimCounting counting() {
    return counting;
  }

  Budget budget() {
    return levers.budget();
  }

  /** Whether something happened because of which a right member may be suspected. */
  boolean mayBeWrong() {
    return !options.faulty().isEmpty() || options.beyond() || budget().isTainted();
  }

  /** Whether nothing gets from one machine to another and back. */
  boolean isBlocked(String one, String other) {
    return network.isBlocked(one, other);
  }

  SimNode node(String name) {
    return nodes.stream().filter(n -> n.name.equals(name)).findFirst().orElseThrow();
  }

  List<SimNode> othersUp(SimNode but) {
    List<SimNode> others = new ArrayList<>();
    for (SimNode n : nodes) {
      if (n != but && n.up) {
        others.add(n);
      }
    }
    return others;
  }

  private List<SimMember> members() {
    List<SimMember> all = new ArrayList<>();
    nodes.forEach(n -> all.addAll(n.members.values()));
    return all;
  }

  // ---- clients ----

  SimClients clients() {
    return clients;
  }

  SimZooKeeper zooKeeper() {
    return zooKeeper;
  }

  /** The rules of clients' leases. */
  MountRules mounts() {
    return options.rules().mounts();
  }

  MountConfig leases() {
    return options.deployed() ? MountConfig.defaults() : LEASES;
  }

  SimWorkload workload() {
    return workload;
  }

  Closer closer() {
    return closer;
  }

  /** The pause after the first change that is refused for want of room, in nanoseconds. */
  long firstPause() {
    return options.deployed() ? Room.FIRST_PAUSE_NANOS : FIRST_PAUSE;
  }

  /**
   * Plans a power cut of everything, clients too, after this many nanoseconds. Must be called
   * before the run.
   */
  public void planPowerCut(long after) {
    clock.after(after, levers::cutPowerEverywhere);
  }

  // ---- network ----

  void send(SimMember by, Send x) {
    checks.memberSends(by, x.message());
    if (x.message() instanceof Commit c) {
      if (by.epoch == master.epoch(by.region)) { // HDFS may have dropped what an earlier one has
        checks.commit(c);
      }
    } else if (x.message() instanceof StatusReply r) {
      checks.status(by, r);
    }
    boolean isOwn = x.to() instanceof Endpoint.Member d && d.region().equals(by.region);
    Endpoint.Member from = new Endpoint.Member(by.region, by.place);
    send(from, by.node.name, by.node.name, x, isOwn ? by.epoch : 0);
  }

  void send(SimSession by, Send x) {
    send(
        new Endpoint.Session(spec.id(), by.mountEpoch),
        "client" + by.mountEpoch,
        by.client.machine(),
        x,
        x.to() instanceof Endpoint.Member d ? by.epoch(d.region()) : 0);
  }

  /** The operator asks a member for its status. */
  void ask(Send x) {
    send(new Endpoint.Session(spec.id(), Operator.NO_MOUNT), "operator", Levers.CLIENT, x, 0);
  }

  /**
   * @param epoch the epoch whose members the sender knows; 0 for the current one
   */
  private void send(Endpoint from, String sender, String machine, Send x, int epoch) {
    if (options.trace() != null) {
      trace(sender + " -> " + Describe.endpoint(x.to()) + " " + Describe.message(x.message()));
    }
    Envelope e = new Envelope(from, x.to(), x.message());
    SimClient client = client(from);
    if (x.to() instanceof Endpoint.Session) {
      SimClient to = client(x.to());
      String there = to == null ? Levers.CLIENT : to.machine();
      network.send(machine, there, e, x.payload(), this::arriveAtClients);
    } else if (client != null && client.isCutOff() && x.to() instanceof Endpoint.Member d) {
      send(machine, client.reachable(d), e, x.payload());
    } else if (x.to() instanceof Endpoint.Member d && unaware(d, epoch) != null) {
      send(machine, unaware(d, epoch), e, x.payload());
    } else if (x.to() instanceof Endpoint.Member d) {
      SimMember to = master.member(d);
      if (to != null) {
        String node = to.node.name;
        network.send(machine, node, e, x.payload(), (in, payload) -> arriveAt(node, in, payload));
      }
    }
  }

  private void send(String machine, SimMember to, Envelope e, ByteBuffer payload) {
    if (to != null) {
      network.send(
          machine,
          to.node.name,
          e,
          payload,
          (in, bytes) -> to.deliver(in.from(), in.message(), bytes));
    }
  }

  private SimMember unaware(Endpoint.Member d, int epoch) {
    for (SimNode n : nodes) {
      SimMember there = n.unaware(d, epoch);
      if (there != null) {
        return there;
      }
    }
    return null;
  }

  /** The client whose session this is, or null. */
  private SimClient client(Endpoint e) {
    SimSession s = e instanceof Endpoint.Session x ? clients.session(x.mountEpoch()) : null;
    return s == null ? null : s.client;
  }

  private void arriveAtClients(Envelope e, ByteBuffer payload) {
    SimSession to = e.to() instanceof Endpoint.Session s ? clients.session(s.mountEpoch()) : null;
    if (to != null) {
      to.deliver(e.from(), e.message(), payload);
    }
  }

  private void arriveAt(String node, Envelope e, ByteBuffer payload) {
    boolean known = e.to() instanceof Endpoint.Member d && d.lane() >= 0 && d.lane() < Lanes.COUNT;
    SimMember to = known ? master.member((Endpoint.Member) e.to()) : null;
    if (to != null && to.node.name.equals(node)) {
      to.deliver(e.from(), e.message(), payload);
    }
  }

  /** A buffer for {@code count} blocks, each with content that no other write has. */
  ByteBuffer content(int count, Random of) {
    byte[] b = new byte[count * spec.blockSize()];
    for (int i = 0; i < count; i++) {
      ByteBuffer.wrap(b).putLong(i * spec.blockSize(), of.nextLong() | 1);
    }
    return ByteBuffer.wrap(b);
  }
}
