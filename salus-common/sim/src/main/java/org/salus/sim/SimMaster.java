package org.salus.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.event.MemberEvents;
import org.salus.core.member.Seat;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.ClusterView;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.KeeperTimes;
import org.salus.core.replacement.RegionKeeper;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Joining;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.core.replacement.Troubled;
import org.salus.core.scan.KnownLog;
import org.salus.sim.store.SimRecords;
import org.salus.sim.store.WrongRecords;

/**
 * The master: it runs the core's {@link RegionKeeper} of each region on records that ZooKeeper
 * would have. Members change the records too, while no master is active.
 */
final class SimMaster {
  private static final long SHORTEST_PAUSE = Clock.MILLI;

  /** The most time between two looks at all regions, in nanoseconds. */
  private static final long ROUND = 100 * Clock.MILLI;

  /** The most time for which a new master waits for absent servers, in nanoseconds. */
  private static final long PATIENCE = 20 * Clock.SECOND;

  private final Simulation sim;
  private final VolumeSpec spec;
  private final Random random;
  private final List<SimNode> nodes;
  private final Map<String, SimNode> byName = new TreeMap<>();
  private final int minMembers;
  private final KeeperTimes times;
  private final long patience;
  final SimRecords records = new SimRecords();

  /** The newest epoch of each region that servers have followed a record to. */
  private final TreeMap<Integer, EpochLink> followed = new TreeMap<>();

  /** The newest epoch of each region that serves, as sessions know it. */
  private final TreeMap<Integer, Integer> serving = new TreeMap<>();

  /** What the active master has read at the NameNode, by region. */
  private final Map<Integer, Known> registers = new TreeMap<>();

  /**
   * A register of epochs as the master has read it.
   *
   * @param version the version of the record that stood in ZooKeeper before; a new one has it read
   *     again
   * @param register null until the NameNode has answered
   */
  private record Known(int version, EpochRegister register) {}

  /** What the active master keeps beside the records. */
  private final Map<Integer, RegionKeeper> keepers = new TreeMap<>();

  private Troubled troubled = new Troubled();

  /** What sessions have said while no master was active. */
  private final Deque<Runnable> missed = new ArrayDeque<>();

  private boolean away;

  /** When the active master began, in virtual nanoseconds. */
  private long began;

  SimMaster(Simulation sim, VolumeSpec spec, List<SimNode> nodes, Random random, boolean deployed) {
    this.sim = sim;
    this.spec = spec;
    this.nodes = nodes;
    nodes.forEach(n -> byName.put(n.name, n));
    this.random = random;
    this.minMembers = 1 + random.nextInt(2);
    KeeperTimes usual = KeeperTimes.USUAL;
    this.times =
        deployed
            ? usual
            : new KeeperTimes(
                part(usual.pause()),
                usual.opening(),
                part(usual.join()),
                part(usual.ready()),
                part(usual.rebuild()),
                usual.proof());
    this.patience = deployed ? PATIENCE : part(PATIENCE);
  }

  /** Mostly a small part, because faults come for two seconds only. */
  private long part(long most) {
    return SHORTEST_PAUSE + (long) (Math.pow(random.nextDouble(), 8) * most);
  }

  /** The number of members of a region's newest epoch. */
  int members(int region) {
    return followed.get(region).members().size();
  }

  /** Whether the newest epoch of a region serves, as sessions know it. */
  boolean serves(int region) {
    return serving.containsKey(region);
  }

  TreeMap<Integer, Integer> servingEpochs() {
    return serving;
  }

  int epoch(RegionId r) {
    return epoch(r.index());
  }

  private int epoch(int region) {
    EpochLink link = followed.get(region);
    return link == null ? 0 : link.epoch();
  }

  /** The members of a region's current epoch, in chain order. */
  List<SimNode> memberNodes(RegionId r) {
    EpochLink link = followed.get(r.index());
    return link == null ? List.of() : nodes(link.nodes());
  }

  /** The machines of their DataNodes. */
  List<SimNode> storeNodes(RegionId r) {
    EpochLink link = followed.get(r.index());
    return link == null ? List.of() : nodes(link.dataNodes());
  }

  private List<SimNode> nodes(List<String> names) {
    List<SimNode> all = new ArrayList<>(names.size());
    for (String name : names) {
      all.add(node(name));
    }
    return all;
  }

  private SimNode node(String name) {
    return Objects.requireNonNull(byName.get(name), name);
  }

  /** The members of the epoch that serves a region, or served it last. */
  List<Member> servedBy(int region) {
    EpochLink served = register(region).served();
    return served == null ? List.of() : served.members();
  }

  private EpochRegister register(int region) {
    return sim.nameNode().register(spec.regionId(region));
  }

  /** Whether a region serves with as many members as possible and will go on with them. */
  boolean isWhole(int region) {
    RrsRecord rrs = genuine(region);
    return rrs != null && rrs.state() == State.SERVING && rrs.members().size() == Lanes.COUNT;
  }

  /** A region's record, if it is of the epoch that servers follow; else null. */
  private RrsRecord genuine(int region) {
    RrsRecord rrs = records.get(region);
    return rrs != null && rrs.link().equals(followed.get(region)) ? rrs : null;
  }

  boolean hasServed(int region) {
    return register(region).served() != null;
  }

  /** The region's holders: the members of the last epoch that served. */
  List<Member> holders(int region) {
    EpochLink served = register(region).served();
    return served == null ? followed.get(region).holders() : served.members();
  }

  SimMember member(Endpoint.Member d) {
    EpochLink link = followed.get(d.region().index());
    return link == null
        ? null
        : node(link.members().get(Lanes.member(d.lane(), link.members().size())).node())
            .members
            .get(d.region());
  }

  /** Sets whether the cluster is without an active master. The next one knows only the records. */
  void setAway(boolean on) {
    if (away && !on) {
      keepers.clear();
      registers.clear();
      troubled = new Troubled();
      began = sim.now();
    }
    away = on;
    while (!away && !missed.isEmpty()) {
      missed.poll().run();
    }
    found();
  }

  // ---- the keepers ----

  /** Opens the first epochs, and looks at all regions from then on. */
  void start() {
    for (int r = 0; r < spec.regionCount(); r++) {
      registers.put(r, new Known(records.version(r), EpochRegister.NONE));
      RrsRecord first = keeper(r).next(null, new Seen(r, firstMembers(r))).orElseThrow().record();
      records.write(r, first);
      keeper(r).opened(first.epoch(), sim.now());
      begin(r, first.link());
    }
    look();
  }

  /** The servers have changed: a master looks at all regions soon. */
  void found() {
    for (int r = 0; r < spec.regionCount(); r++) {
      wake(r);
    }
  }

  private void look() {
    found();
    sim.clock.after(random.nextLong(ROUND), this::look);
  }

  private void wake(int region) {
    sim.clock.after(sim.smallDelay(), () -> keep(region));
  }

  private RegionKeeper keeper(int region) {
    return keepers.computeIfAbsent(
        region,
        r ->
            new RegionKeeper(
                spec.regionId(r),
                sim.signer(),
                sim.epochRules(),
                sim.keeperRules(),
                new RegionKeeper.Asked(minMembers, spec.strict()),
                times,
                troubled));
  }

  private void keep(int region) {
    if (away) {
      return;
    }
    RrsRecord now = records.get(region);
    List<String> spares = new ArrayList<>(nodes.stream().map(n -> n.name).toList());
    Collections.shuffle(spares, random);
    Optional<RegionKeeper.Step> step = keeper(region).next(now, new Seen(region, spares));
    if (step.isEmpty()) {
      return;
    }
    RrsRecord next = step.get().record();
    sim.trace("region " + region + ": " + step.get().said());
    records.write(region, next);
    if (!next.link().equals(followed.get(region)) && follows(region, next.link())) {
      String out = next.suspicions().suspect();
      if (!out.isEmpty() && !next.nodes().contains(out)) {
        sim.trace("region " + region + " goes on without " + out + ": " + next.note());
      }
      keeper(region).opened(next.epoch(), sim.now());
      begin(region, next.link());
    } else if (next.state() == State.BROKEN) {
      wake(region);
    } else if (next.joining() != null && !next.joining().ready()) {
      getReady(region, next.epoch(), next.joining());
    }
  }

  private void readRegister(int region, int of) {
    Known known = registers.get(region);
    if (sim.nameNode().isAway()) {
      sim.clock.after(ROUND, () -> readRegister(region, of));
    } else if (known != null && known.version() == of) {
      registers.put(region, new Known(of, register(region)));
      keep(region);
    }
  }

  /** What a keeper sees of the cluster. */
  private final class Seen implements ClusterView {
    private final int region;
    private final List<String> placement;
    private final Map<String, Member> running = new TreeMap<>();

    Seen(int region, List<String> placement) {
      this.region = region;
      this.placement = placement;
      nodes.stream()
          .filter(n -> n.up && !n.serverAway)
          .forEach(n -> running.put(n.name, server(n)));
    }

    @Override
    public EpochRegister register() {
      int now = records.version(region);
      Known known = registers.get(region);
      if (known == null || known.version() != now) {
        registers.put(region, new Known(now, null));
        sim.clock.after(sim.smallDelay(), () -> readRegister(region, now));
        return null;
      }
      return known.register();
    }

    @Override
    public Map<String, Member> running() {
      return running;
    }

    @Override
    public List<String> placement() {
      return placement;
    }

    @Override
    public List<String> dataNodes() {
      return new SimDataNodes(nodes).roomy();
    }

    @Override
    public Set<String> drainedDataNodes() {
      return new SimDataNodes(nodes).drained();
    }

    @Override
    public boolean hasDataNode(Member server) {
      return new SimDataNodes(nodes).isUp(server);
    }

    @Override
    public Optional<Reason> trouble() {
      return Optional.empty();
    }

    @Override
    public boolean hasUser() {
      return sim.zooKeeper().hasUser();
    }

    @Override
    public DataNodeState dataNode(Member server) {
      return new SimDataNodes(nodes).state(server);
    }

    @Override
    public boolean isPatienceOver(String node, boolean restarted) {
      return !restarted || sim.now() - began > patience;
    }

    @Override
    public long nanos() {
      return sim.now();
    }

    @Override
    public long millis() {
      return sim.now() / Clock.MILLI;
    }
  }

  private static Member server(SimNode n) {
    return new Member(n.name, n.starts(), n.name);
  }

  private static boolean isServer(SimNode n, Member m) {
    return m.node().equals(n.name) && m.startCode() == n.starts();
  }

  private List<String> firstMembers(int region) {
    List<String> chosen = new ArrayList<>();
    for (int i = 0; i < Lanes.COUNT; i++) {
      chosen.add(nodes.get((region + i) % nodes.size()).name);
    }
    Collections.shuffle(chosen, random);
    return chosen;
  }

  // ---- epochs ----

  /**
   * Servers follow a record to a newer epoch, and to any while the one that they know has not
   * served.
   */
  private boolean follows(int region, EpochLink link) {
    EpochLink now = followed.get(region);
    return link.epoch() > now.epoch() || !now.equals(register(region).served());
  }

  /** Servers follow a record to its epoch. */
  private void begin(int region, EpochLink link) {
    RegionId id = spec.regionId(region);
    List<SimNode> stores = nodes(link.dataNodes());
    sim.trace("open region " + region + " epoch " + link.epoch() + SimDataNodes.words(link));
    memberNodes(id).forEach(n -> n.stop(id, sim.now()));
    followed.put(region, link);
    serving.remove(region);
    List<SimNode> members = nodes(link.nodes());
    for (int i = 0; i < members.size(); i++) {
      SimNode n = members.get(i);
      SimMember host =
          new SimMember(sim, n, link, members, stores, i, new Random(random.nextLong()));
      MemberEvents member =
          sim.makeMember(n, new Seat(id, link.epoch(), link.nodes(), i, link.succession()));
      member.continueFrom(n.known(id, link.epoch()));
      host.drive(member);
      n.members.put(id, host);
    }
    members.forEach(n -> n.members.get(id).start());
    sim.clients().opening(region);
  }

  /** A server reads the log while the members go on serving. Then it says that it is ready. */
  private void getReady(int region, int epoch, Joining joining) {
    SimNode node = node(joining.member().node());
    RegionId id = spec.regionId(region);
    sim.clock.after(
        sim.smallDelay() * 10,
        () -> {
          if (epoch == epoch(region) && isServer(node, joining.member())) {
            KnownLog known = new KnownLog();
            SimReach reach = new SimReach(sim, node, node(joining.member().dataNode()), random);
            new SimReplicas(sim, reach, followed.get(region)).readAhead(known);
            node.knows(id, epoch, known);
          }
        });
    sim.clock.after(
        sim.smallDelay() * 10 * (1 + random.nextInt(20)),
        () -> {
          RrsRecord now = genuine(region);
          if (node.up
              && !node.serverAway
              && now != null
              && now.epoch() == epoch
              && now.joining() != null
              && now.joining().member().equals(joining.member())
              && isServer(node, joining.member())) {
            records.put(region, now.joining(joining.member(), true));
            wake(region);
          }
        });
  }

  /** A member has begun to serve. */
  boolean serves(SimMember m) {
    int region = m.region.index();
    RrsRecord now = genuine(region);
    if (now == null || !now.link().equals(m.link) || !now.isFollowedBy(m.epoch, State.SERVING)) {
      return false;
    }
    records.put(region, now.serving());
    serving.put(region, m.epoch);
    return true;
  }

  /** The NameNode has refused a member's epoch. */
  void refused(SimMember m, String why) {
    if (m.link.equals(followed.get(m.region.index()))) {
      sim.trace(m.node.name + " may not open epoch " + m.epoch + ": " + why);
      breaks(m.region.index(), m.epoch, Cause.FAILED, "", why);
    }
  }

  // ---- wrong records ----

  /** A wrong server writes a region's record, as any server can. */
  void forge(String by, int region) {
    RrsRecord now = records.get(region);
    RrsRecord forged =
        now == null
            ? null
            : new WrongRecords(now, register(region).served(), server(node(by)))
                .any(records.written(region), random);
    sim.trace(by + " writes a wrong record of region " + region + ": " + forged);
    if (forged == null) {
      records.put(region, null);
    } else {
      records.put(region, forged);
      EpochLink link = forged.link();
      if (sim.epochRules().isGenuine(link, sim.signer()) && follows(region, link)) {
        begin(region, link);
      } else if (forged.state() == State.SERVING && link.epoch() == epoch(region)) {
        serving.putIfAbsent(region, link.epoch()); // sessions believe it until nobody answers
      }
    }
    wake(region);
  }

  /** An epoch that the master has opened. */
  EpochLink anyEpoch(int region) {
    List<RrsRecord> old = records.written(region);
    return old.get(random.nextInt(old.size())).link();
  }

  // ---- why epochs end ----

  /** A member differs from the others, or one knows only that something is wrong. */
  void suspect(SimMember by, MemberEffect.Suspect x) {
    broken(by, Cause.DIFFERED, x.place() < 0 ? null : by.members.get(x.place()), x.what());
  }

  /** A member cannot go on. */
  void stopped(SimMember by, String why) {
    broken(by, Cause.FAILED, by.node, why);
  }

  /** A member cannot go on, which proves nothing against it. */
  void endedBlameless(SimMember by, String why) {
    breaks(by.region.index(), by.epoch, Cause.FAILED, by.node.name, why);
  }

  private void broken(SimMember by, Cause cause, SimNode node, String why) {
    if (node != null
        && by.epoch == epoch(by.region)
        && !sim.nameNode().hasLeftBehind(by.region, by.stores)) {
      sim.checks.suspected(node, why);
    }
    breaks(by.region.index(), by.epoch, cause, node == null ? "" : node.name, why);
  }

  /** A member says that nothing comes through another one, which is perhaps to blame. */
  void stalled(SimMember by, Stalled x) {
    String node = accused(x.region(), x.lane());
    if (x.epoch() == epoch(x.region())) {
      sim.trace(complaint(by.node.name, node, x));
      breaks(x.region(), x.epoch(), Cause.STALLED, node, x.what());
    }
  }

  private static String complaint(String by, String node, Stalled x) {
    return by + " complains of " + node + " in region " + x.region() + ": " + x.what();
  }

  private String accused(int region, int lane) {
    List<String> members = followed.get(region).nodes();
    return members.get(Lanes.member(lane, members.size()));
  }

  /** A session says that nothing comes through a member. */
  void stalled(Stalled x, String by) {
    if (x.epoch() == epoch(x.region())) {
      sim.trace(complaint(by, accused(x.region(), x.lane()), x));
      accuse(x.region(), x.epoch(), Cause.STALLED, x.lane(), x.what());
    }
  }

  /** A session accuses a member. */
  void accused(SessionEffect.Report x) {
    accuse(x.region(), x.epoch(), Cause.WRONG_ANSWER, x.lane(), x.what());
  }

  /** Members answer a mount differently. */
  void disagree(SessionEffect.Disagree x) {
    accuse(x.region(), x.epoch(), Cause.DISAGREED, x.lane(), x.what());
  }

  private void accuse(int region, int epoch, Cause cause, int lane, String what) {
    if (away) {
      missed.add(() -> accuse(region, epoch, cause, lane, what));
      return;
    }
    RrsRecord now = genuine(region);
    if (now != null && now.epoch() == epoch && now.state() == State.SERVING) {
      records.put(region, now.accused(cause, accused(region, lane), what));
      wake(region);
    }
  }

  /** An operator takes a node out of every region that serves. */
  void replace(String node) {
    for (int r = 0; r < spec.regionCount(); r++) {
      RrsRecord rrs = genuine(r);
      if (rrs != null && rrs.state() == State.SERVING && rrs.nodes().contains(node)) {
        breaks(r, rrs.epoch(), Cause.OPERATOR, node, "an operator wants that");
      }
    }
  }

  private void breaks(int region, int epoch, Cause cause, String node, String why) {
    RrsRecord now = genuine(region);
    if (now != null && now.isFollowedBy(epoch, State.BROKEN)) {
      records.put(region, now.broken(cause, node, why));
      wake(region);
    }
  }
}
