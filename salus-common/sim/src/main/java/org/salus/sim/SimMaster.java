package org.salus.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.log.KnownEpochs;
import org.salus.core.log.KnownLog;
import org.salus.core.member.MemberEvents;
import org.salus.core.member.Seat;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.MemberChoice;
import org.salus.core.replacement.Suspicions;

/**
 * The master. It begins an epoch for the same reasons as the production master's {@code
 * KeptVolume}, and chooses members by the same rules.
 */
final class SimMaster {
  /** How long a server that broke an epoch is not asked to join another, in nanoseconds. */
  private static final long TROUBLE = 30 * Clock.SECOND;

  /** The least time between two epochs of a region that broke by themselves, in nanoseconds. */
  private static final long PAUSE = Clock.SECOND;

  /** The time to open an epoch, in nanoseconds. After it, a member counts as not doing its part. */
  private static final long OPENING = 30 * Clock.SECOND;

  private final Simulation sim;
  private final VolumeSpec spec;
  private final Random random;
  private final List<SimNode> nodes;

  /** The least number of members of an epoch. */
  private final int minMembers;

  private final Map<Integer, List<SimNode>> rrs = new TreeMap<>();

  /**
   * The suspicions by region. They are kept with the region's epoch, so a new active master knows
   * them.
   */
  private final Map<Integer, Suspicions> suspicions = new TreeMap<>();

  private final TreeMap<Integer, Integer> serving = new TreeMap<>();
  private final TreeMap<Integer, List<SimNode>> served = new TreeMap<>();

  /** The time until which each server is not asked to join, in nanoseconds. */
  private final TreeMap<String, Long> troubled = new TreeMap<>();

  private final TreeSet<Integer> waiting = new TreeSet<>();

  /** The regions whose next epoch has its members chosen but has not begun. */
  private final TreeSet<Integer> ending = new TreeSet<>();

  private final int[] epochs;

  /** The newest epoch of each region that has served. */
  private final int[] servedEpochs;

  /** The events that arrived while no master was active. */
  private final Deque<Runnable> missed = new ArrayDeque<>();

  private boolean away;

  SimMaster(Simulation sim, VolumeSpec spec, List<SimNode> nodes, Random random) {
    this.sim = sim;
    this.spec = spec;
    this.nodes = nodes;
    this.random = random;
    this.minMembers = 1 + random.nextInt(2);
    this.epochs = new int[spec.regionCount()];
    this.servedEpochs = new int[spec.regionCount()];
  }

  TreeMap<Integer, Integer> servingEpochs() {
    return serving;
  }

  int epoch(RegionId r) {
    return epochs[r.index()];
  }

  /** The members of a region's current epoch, in chain order. */
  List<String> members(RegionId r) {
    return memberNodes(r).stream().map(n -> n.name).toList();
  }

  List<SimNode> memberNodes(RegionId r) {
    return rrs.getOrDefault(r.index(), List.of());
  }

  /** The members of the epoch that serves a region, or served it last. */
  List<SimNode> servedBy(int region) {
    return served.getOrDefault(region, List.of());
  }

  /** Whether a region serves with as many members as possible and will go on with them. */
  boolean isWhole(int region) {
    return serving.containsKey(region)
        && !ending.contains(region)
        && rrs.get(region).size() == Lanes.COUNT;
  }

  /** The region's holders: the members of the last epoch that served. */
  List<SimNode> holders(int region) {
    return served.getOrDefault(region, firstMembers(region));
  }

  SimMember member(Endpoint.Member d) {
    List<SimNode> members = rrs.get(d.region().index());
    return members == null
        ? null
        : members.get(Lanes.member(d.lane(), members.size())).members.get(d.region());
  }

  /**
   * Sets whether the cluster is without an active master. A master that returns handles the missed
   * events.
   */
  void setAway(boolean on) {
    away = on;
    while (!away && !missed.isEmpty()) {
      missed.poll().run();
    }
  }

  private void act(Runnable what) {
    if (away) {
      missed.add(what);
    } else {
      what.run();
    }
  }

  // ---- epochs ----

  void openAll() {
    for (int r = 0; r < spec.regionCount(); r++) {
      open(r, Cause.JOINED);
    }
  }

  /** Opens a region's next epoch with its holders and perhaps others, or waits for a holder. */
  private void open(int region, Cause cause) {
    List<SimNode> old = rrs.getOrDefault(region, List.of());
    ending.remove(region);
    ended(region, cause, "");
    old.forEach(n -> n.stop(spec.regionId(region), sim.now()));
    List<SimNode> running = holders(region).stream().filter(n -> n.up).toList();
    List<SimNode> members = choose(region, running);
    serving.remove(region);
    if (running.isEmpty() || members.size() < minMembers) {
      sim.trace("region " + region + " waits for servers");
      waiting.add(region);
      return;
    }
    waiting.remove(region);
    Collections.shuffle(members, random);
    rrs.put(region, members);
    start(region, members);
  }

  private List<SimNode> choose(int region, List<SimNode> holders) {
    List<String> spares =
        new ArrayList<>(
            nodes.stream()
                .filter(n -> n.up && troubled.getOrDefault(n.name, 0L) <= sim.now())
                .map(n -> n.name)
                .toList());
    Collections.shuffle(spares, random);
    int wanted = random.nextBoolean() ? Lanes.COUNT : minMembers;
    List<String> names = holders.stream().map(n -> n.name).toList();
    List<String> chosen = choice(region).members(names, spares::stream, wanted, minMembers);
    return new ArrayList<>(nodes.stream().filter(n -> chosen.contains(n.name)).toList());
  }

  private MemberChoice ended(int region, Cause cause, String named) {
    MemberChoice choice = choice(region);
    choice.ended(
        epochs[region],
        servedEpochs[region],
        rrs.getOrDefault(region, List.of()).stream().map(n -> n.name).toList(),
        cause,
        named);
    suspicions.put(region, choice.suspicions());
    return choice;
  }

  private MemberChoice choice(int region) {
    return new MemberChoice(suspicions.getOrDefault(region, Suspicions.NONE));
  }

  private String guess(int region, List<String> members) {
    MemberChoice choice = choice(region);
    String guess = choice.guess(members);
    suspicions.put(region, choice.suspicions());
    return guess;
  }

  private void start(int region, List<SimNode> members) {
    RegionId id = spec.regionId(region);
    epochs[region]++;
    List<String> names = members.stream().map(n -> n.name).toList();
    sim.trace("open region " + region + " epoch " + epochs[region] + " " + names);
    sim.nameNode().opened(id, new KnownEpochs.Rrs(epochs[region], names));
    for (int i = 0; i < members.size(); i++) {
      SimNode n = members.get(i);
      SimMember host =
          new SimMember(sim, n, id, epochs[region], members, i, new Random(random.nextLong()));
      MemberEvents member = sim.makeMember(n, new Seat(id, epochs[region], names, i));
      KnownLog known = n.known(id, epochs[region]);
      if (!holders(region).contains(n) && random.nextBoolean()) {
        host.getReady(known);
      }
      member.continueFrom(known);
      host.drive(member);
      n.members.put(id, host);
    }
    members.forEach(n -> n.members.get(id).start());
    int epoch = epochs[region];
    sim.clock.after(
        OPENING,
        () -> {
          if (epoch == epochs[region] && !serving.containsKey(region)) {
            without(
                region,
                epoch,
                Cause.STALLED,
                guess(region, names),
                "epoch " + epoch + " does not open");
          }
        });
  }

  private List<SimNode> firstMembers(int region) {
    List<SimNode> chosen = new ArrayList<>();
    for (int i = 0; i < Lanes.COUNT; i++) {
      chosen.add(nodes.get((region + i) % nodes.size()));
    }
    return chosen;
  }

  /** A member has begun to serve. */
  boolean serves(SimMember m) {
    int region = m.region.index();
    if (m.epoch != epochs[region] || waiting.contains(region)) {
      return false;
    }
    serving.put(region, m.epoch);
    served.put(region, rrs.get(region));
    servedEpochs[region] = m.epoch;
    return true;
  }

  // ---- why epochs end ----

  /** A server is dead, or was and is back. The epochs that it was a member of end. */
  void lost(SimNode node) {
    act(
        () ->
            rrs.forEach(
                (region, members) -> {
                  if (members.contains(node)) {
                    open(region, Cause.GONE);
                  }
                }));
  }

  /** There are more servers than before. */
  void found() {
    act(
        () -> {
          for (int r = 0; r < spec.regionCount(); r++) {
            if (waiting.contains(r) || rrs.get(r).size() < Lanes.COUNT) {
              open(r, Cause.JOINED);
            }
          }
        });
  }

  /** A member differs from the others, or one knows only that something is wrong. */
  void suspect(SimMember by, MemberEffect.Suspect x) {
    broken(by, Cause.DIFFERED, x.place() < 0 ? null : by.members.get(x.place()), x.what());
  }

  /** A member cannot go on. */
  void stopped(SimMember by, String why) {
    broken(by, Cause.FAILED, by.node, why);
  }

  private void broken(SimMember by, Cause cause, SimNode node, String why) {
    if (node != null
        && by.epoch == epochs[by.region.index()]
        && !sim.nameNode().hasLeftBehind(by.region, by.members)) {
      sim.checks.suspected(node, why);
    }
    without(by.region.index(), by.epoch, cause, node == null ? "" : node.name, why);
  }

  /** Somebody complains that nothing comes through a member. That member is perhaps to blame. */
  void stalled(Stalled x, String by) {
    List<SimNode> members = rrs.getOrDefault(x.region(), List.of());
    if (x.epoch() == epochs[x.region()]) {
      SimNode node = members.get(Lanes.member(x.lane(), members.size()));
      sim.trace(by + " complains of " + node.name + " in region " + x.region() + ": " + x.what());
      without(x.region(), x.epoch(), Cause.STALLED, node.name, x.what());
    }
  }

  /** A session accuses a member. */
  void accused(SessionEffect.Report x) {
    if (serving.containsKey(x.region()) && x.epoch() == epochs[x.region()]) {
      List<SimNode> members = rrs.get(x.region());
      without(
          x.region(),
          x.epoch(),
          Cause.WRONG_ANSWER,
          members.get(Lanes.member(x.lane(), members.size())).name,
          x.what());
    }
  }

  /** Members answer a mount differently. */
  void disagree(SessionEffect.Disagree x) {
    if (serving.containsKey(x.region()) && x.epoch() == epochs[x.region()]) {
      List<SimNode> members = rrs.get(x.region());
      String named = members.size() == Lanes.COUNT ? members.get(x.lane()).name : "";
      without(x.region(), x.epoch(), Cause.DISAGREED, named, x.what());
    }
  }

  /** An operator takes a node out of every region that serves. */
  void replace(String node) {
    serving.forEach(
        (region, epoch) -> {
          if (rrs.get(region).stream().anyMatch(n -> n.name.equals(node))) {
            without(region, epoch, Cause.OPERATOR, node, "an operator wants that");
          }
        });
  }

  private void without(int region, int epoch, Cause cause, String named, String why) {
    act(
        () -> {
          if (epoch != epochs[region]) {
            return;
          }
          ending.add(region);
          Suspicions before = choice(region).suspicions();
          MemberChoice choice = ended(region, cause, named);
          if (!choice.suspect().isEmpty() && !choice.suspicions().equals(before)) {
            sim.trace("region " + region + " goes on without " + choice.suspect() + ": " + why);
            troubled.put(choice.suspect(), sim.now() + TROUBLE);
          }
          sim.clock.after(
              random.nextInt((int) PAUSE),
              () ->
                  act(
                      () -> {
                        if (epoch == epochs[region]) {
                          open(region, cause);
                        }
                      }));
        });
  }
}
