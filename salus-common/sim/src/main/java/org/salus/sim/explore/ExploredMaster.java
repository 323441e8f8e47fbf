package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.salus.core.message.Message;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RegionKeeper;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;
import org.salus.sim.explore.automaton.Catalog;
import org.salus.sim.explore.automaton.KeeperAutomaton;
import org.salus.sim.explore.automaton.MemberAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.explore.automaton.SessionAutomaton;

/**
 * The master, a host of the core's {@link RegionKeeper}s, with the records in ZooKeeper that it and
 * the servers write.
 */
final class ExploredMaster {
  private final ExploredCluster cluster;
  private final Catalog catalog;
  private final Steps steps;

  /** The looks of keepers, by everything in a world that they see. */
  private final Map<Sight, Integer> looks = new HashMap<>();

  private final Map<Integer, Integer> holders = new HashMap<>();

  private record Sight(
      int region, int record, int register, int up, int stores, long starts, boolean hasUser) {}

  ExploredMaster(ExploredCluster cluster, Steps steps) {
    this.cluster = cluster;
    this.catalog = cluster.catalog;
    this.steps = steps;
  }

  // ---- servers ----

  /** The nodes with which a region begins. */
  List<Integer> firstNodes(int region) {
    List<Integer> nodes = new ArrayList<>();
    for (int i = 0; i < cluster.scenario.members(region); i++) {
      nodes.add(region * cluster.scenario.members() + i);
    }
    return nodes;
  }

  /** The servers of a world that a region may have, the first ones before the spares. */
  private List<Integer> nodes(World w, int region) {
    List<Integer> nodes = firstNodes(region);
    for (int n = w.nodes - cluster.scenario.spares(); n < w.nodes; n++) {
      nodes.add(n);
    }
    return nodes;
  }

  Member server(World w, int node) {
    String name = ExploredCluster.nodeName(node);
    return new Member(name, w.starts[node], name);
  }

  /** The servers of these nodes start again. */
  static void restart(World w, int nodes) {
    for (int n : ExploredCluster.nodes(nodes)) {
      w.starts = World.with(w.starts, n, w.starts[n] + 1);
    }
    w.up |= nodes;
    w.stores |= nodes;
  }

  static int set(List<String> names) {
    return names.stream().mapToInt(n -> 1 << ExploredCluster.node(n)).sum();
  }

  // ---- the keepers ----

  /**
   * Opens a region's first epoch. The keeper begins with three members; a smaller one stands for a
   * region that has lost some.
   */
  void first(World w, int region) {
    List<Member> members = firstNodes(region).stream().map(n -> server(w, n)).toList();
    EpochLink link =
        EpochLink.first(cluster.spec.regionId(region), 1, members, members, cluster.signer);
    w.registers = World.with(w.registers, region, catalog.number(EpochRegister.NONE));
    write(w, region, new RrsRecord(link, State.OPENING, "the first"));
    Object opened = new KeeperAutomaton.Opened(region, link.epoch());
    w.keepers = catalog.step(w.keepers, catalog.number(opened)).state();
    begin(w, region, link);
  }

  /** A region's record in ZooKeeper, or null. */
  RrsRecord record(World w, int region) {
    int number = w.records[region];
    return number == World.NONE ? null : (RrsRecord) catalog.thing(number);
  }

  void write(World w, int region, RrsRecord record) {
    int number = record == null ? World.NONE : catalog.number(record);
    w.records = World.with(w.records, region, number);
  }

  /** The link of the epoch that servers follow. */
  EpochLink link(World w, int region) {
    return (EpochLink) catalog.thing(w.links[region]);
  }

  /**
   * The holders' nodes: the members of the epoch that served last, as the NameNode knows. None
   * before the first one serves.
   */
  int holders(World w, int region) {
    return holders.computeIfAbsent(
        w.registers[region],
        k -> {
          EpochLink served = steps.nameNode.register(w, region).served();
          return served == null ? 0 : set(served.nodes());
        });
  }

  private Catalog.Transition look(World w, int region) {
    long starts = 0;
    for (int n : w.starts) {
      starts = starts << 4 | n;
    }
    Sight sight =
        new Sight(
            region, w.records[region], w.registers[region], w.up, w.stores, starts, w.mounts > 0);
    Integer event = looks.get(sight);
    if (event == null) {
      event = catalog.number(see(w, region));
      looks.put(sight, event);
    }
    Catalog.Transition t = catalog.step(w.keepers, event);
    if (t.broken() != null) {
      throw t.broken();
    }
    return t;
  }

  private KeeperAutomaton.Look see(World w, int region) {
    return new KeeperAutomaton.Look(
        region,
        record(w, region),
        steps.nameNode.register(w, region),
        nodes(w, region).stream().filter(w::isUp).map(n -> server(w, n)).toList(),
        nodes(w, region).stream().filter(w::hasStore).map(ExploredCluster::nodeName).toList(),
        w.mounts > 0);
  }

  /** Whether the keeper of a region has a change to make, or a server that it needs comes back. */
  boolean hasWork(World w, int region) {
    return isLost(w, region) || look(w, region).outs().length > 0;
  }

  /**
   * Whether neither a server nor a DataNode of any holder runs, though they may. Faults of a world
   * leave somebody who has the data.
   */
  private boolean isLost(World w, int region) {
    int holders = holders(w, region);
    return holders != 0 && ((w.up | w.stores | w.away) & holders) == 0;
  }

  /** Whether a keeper that has nothing to do now has a server join once it may. */
  boolean mayJoin(World w) {
    World later = w.copy();
    pass(later, new KeeperAutomaton.MayJoin());
    for (int r = 0; r < w.regions; r++) {
      if (!hasWork(w, r) && hasWork(later, r)) {
        return true;
      }
    }
    return false;
  }

  /** The keeper makes the change that a region needs, if any. */
  void keep(World w, int region) {
    if (isLost(w, region)) {
      restart(w, holders(w, region));
    }
    Catalog.Transition t = look(w, region);
    w.keepers = t.state();
    for (int out : t.outs()) {
      RrsRecord next = ((RegionKeeper.Step) catalog.thing(out)).record();
      write(w, region, next);
      follow(w, region);
    }
  }

  /** What the keeper of a region would do, in words. */
  String says(World w, int region) {
    World after = w.copy();
    if (isLost(after, region)) {
      restart(after, holders(after, region));
    }
    int[] outs = look(after, region).outs();
    return outs.length == 0
        ? "nothing is to be done"
        : ((RegionKeeper.Step) catalog.thing(outs[0])).said();
  }

  /** Time passes for the keepers. What they wait for now, they have waited for then. */
  void pass(World w, Object time) {
    for (int r = 0; r < w.regions; r++) {
      w.keepers = look(w, r).state();
    }
    w.keepers = catalog.step(w.keepers, catalog.number(time)).state();
  }

  // ---- epochs ----

  /** Servers follow a record to a newer epoch, and to any while theirs has not served. */
  void follow(World w, int region) {
    RrsRecord record = record(w, region);
    if (record == null || !cluster.epochRules().isGenuine(record.link(), cluster.signer)) {
      return;
    }
    EpochLink now = link(w, region);
    boolean isServed = now.equals(steps.nameNode.register(w, region).served());
    EpochLink next = record.link();
    if (!next.equals(now) && (next.epoch() > now.epoch() || !isServed)) {
      begin(w, region, next);
    }
  }

  private void begin(World w, int region, EpochLink link) {
    w.links = World.with(w.links, region, catalog.number(link));
    w.epoch = World.with(w.epoch, region, link.epoch());
    w.serving = World.with(w.serving, region, 0);
    List<String> names = link.nodes();
    for (int place = 0; place < World.UNAWARE; place++) {
      int m = w.actor(region, place);
      boolean used = place < names.size();
      steps.clear(w, m);
      w.actors = World.with(w.actors, m, used ? cluster.newMember(link, place) : World.NONE);
      w.homes = World.with(w.homes, m, used ? ExploredCluster.node(names.get(place)) : World.NONE);
      w.seats = World.with(w.seats, m, used ? World.seat(place, names.size(), link.epoch()) : 0);
    }
    dropStale(w, region);
    steps.sortFlights(w);
    for (int place = 0; place < names.size(); place++) {
      steps.run(w, w.actor(region, place), catalog.number(new MemberAutomaton.Start()));
    }
    if (!link.succession().isWhole()) {
      for (int m = 1; m <= w.mounts; m++) {
        opening(
            w,
            w.session(m),
            catalog.number(new SessionAutomaton.Opening(region, link.epoch(), names.size())));
      }
    }
  }

  private void opening(World w, int session, int event) {
    if (w.isAlive(session) && cluster.scenario.wordsTravel()) {
      steps.post(w, w.master(), session, event);
    } else if (w.isAlive(session)) {
      steps.run(w, session, event);
    }
  }

  /**
   * Drops messages that a member ignores: those that its predecessors sent each other in earlier
   * epochs.
   */
  private void dropStale(World w, int region) {
    int kept = 0;
    int[] flights = w.flights.clone();
    for (int i = 0; i < flights.length; i += World.FLIGHT) {
      boolean here =
          flights[i + 1] < w.homes.length
              && flights[i + 1] / World.SEATS == region
              && flights[i + 1] % World.SEATS != World.UNAWARE;
      if (!here || !isOfOneEpoch(((Parcel) catalog.thing(flights[i + 2])).message())) {
        System.arraycopy(flights, i, flights, kept, World.FLIGHT);
        kept += World.FLIGHT;
      }
    }
    w.flights = Arrays.copyOf(flights, kept);
  }

  private static boolean isOfOneEpoch(Message m) {
    return m instanceof Message.Chain
        || m instanceof Message.Certified
        || m instanceof Message.LogEnds
        || m instanceof Message.Opening
        || m instanceof Message.Wrote
        || m instanceof Message.Acknowledged;
  }

  /** A member says that its epoch serves. */
  void serves(World w, int member) {
    int region = member / World.SEATS;
    RrsRecord now = genuine(w, region);
    if (now != null && isCurrent(w, member) && now.isFollowedBy(now.epoch(), State.SERVING)) {
      write(w, region, now.serving());
      w.serving = World.with(w.serving, region, now.epoch());
      cluster.tell(w, new Note.Serving(region, w.size(member)));
      for (int m = 1; m <= w.mounts; m++) {
        notify(w, m, region);
      }
    }
  }

  /** The record of the epoch that servers follow, or null if another one stands there. */
  private RrsRecord genuine(World w, int region) {
    RrsRecord now = record(w, region);
    return now != null && now.link().equals(link(w, region)) ? now : null;
  }

  /** A region's epoch cannot go on, as somebody says. */
  void breaks(World w, int region, Cause cause, String suspect, String why) {
    RrsRecord now = genuine(w, region);
    if (now != null && now.isFollowedBy(now.epoch(), State.BROKEN)) {
      write(w, region, now.broken(cause, suspect, why));
    }
  }

  /** The same, as a member says. */
  void breaks(World w, int member, Cause cause, int place, String why) {
    int region = member / World.SEATS;
    if (isCurrent(w, member)) {
      breaks(w, region, cause, place < 0 ? "" : link(w, region).nodes().get(place), why);
    }
  }

  private static boolean isCurrent(World w, int member) {
    return w.epochOf(member) == w.epoch[member / World.SEATS]
        && member % World.SEATS != World.UNAWARE;
  }

  /** Tells a session which epoch serves a region. */
  void notify(World w, long mount, int region) {
    if (w.serving[region] != 0) {
      tell(
          w,
          mount,
          new SessionAutomaton.Rrs(region, w.serving[region], link(w, region).members().size()));
    }
  }

  private void tell(World w, long mount, Object what) {
    if (w.isAlive(w.session(mount))) {
      steps.post(w, w.master(), w.session(mount), catalog.number(what));
    }
  }

  void mount(World w) {
    w.mounts++;
    int session = w.session(w.mounts);
    w.actors = World.with(w.actors, session, cluster.newSession(w.mounts));
    for (int r = 0; r < w.regions; r++) {
      notify(w, w.mounts, r);
    }
  }
}
