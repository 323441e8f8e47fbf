package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.salus.core.Lanes;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.Seat;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRules;
import org.salus.core.session.SessionConfig;
import org.salus.core.session.VolumeSession;
import org.salus.core.session.block.HashedBlocks;
import org.salus.sim.SimOptions;
import org.salus.sim.explore.automaton.Automaton;
import org.salus.sim.explore.automaton.Catalog;
import org.salus.sim.explore.automaton.CheckerAutomaton;
import org.salus.sim.explore.automaton.KeeperAutomaton;
import org.salus.sim.explore.automaton.MemberAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.SessionAutomaton;

/**
 * The parts of a scenario's worlds, and the step from one world to the next. The {@link Catalog}
 * runs the components.
 */
final class ExploredCluster {
  private static final String NODE = "node";
  private static final long RESEND = 200_000_000L;

  /** A time-out that never comes, in nanoseconds. */
  private static final long FOREVER = Long.MAX_VALUE / 4;

  final Scenario scenario;
  final VolumeSpec spec;
  final Catalog catalog = new Catalog();
  final Signer signer = new Signer(new byte[0]);
  final ExploredDataNodes disks;
  private final SimOptions makers;
  private Consumer<Note> listener = n -> {};

  ExploredCluster(Scenario scenario, SimOptions makers) {
    this.scenario = scenario;
    this.spec = scenario.spec();
    this.makers = makers;
    this.disks = new ExploredDataNodes(this);
  }

  static String nodeName(int node) {
    return NODE + node;
  }

  /** The number of the node of that name. */
  static int node(String name) {
    return Integer.parseInt(name.substring(NODE.length()));
  }

  EpochRules epochRules() {
    return makers.rules().epochs();
  }

  World empty() {
    World w = new World(spec.regionCount(), scenario.nodes(), catalog.number(ExploredDisk.EMPTY));
    List<Supplier<Automaton>> checkers =
        CheckerAutomaton.all(spec.regionCount(), spec.synced(), signer);
    w.checks = new int[checkers.size()];
    for (int i = 0; i < checkers.size(); i++) {
      w.checks[i] = catalog.initial("checker " + i, checkers.get(i));
    }
    w.keepers =
        catalog.initial(
            "keepers",
            () ->
                new KeeperAutomaton(
                    spec,
                    signer,
                    epochRules(),
                    makers.rules().keepers(),
                    IntStream.range(0, spec.regionCount())
                        .map(scenario::minMembers)
                        .boxed()
                        .toList()));
    return w;
  }

  /** A new member that has not started yet. */
  int newMember(EpochLink link, int place) {
    return catalog.initial(
        List.of("member", link, place),
        () ->
            new MemberAutomaton(
                link.region(),
                place,
                makers
                    .rules()
                    .members()
                    .make(
                        spec,
                        new Seat(
                            link.region(), link.epoch(), link.nodes(), place, link.succession()),
                        signer,
                        new MemberConfig(RESEND, 64))));
  }

  int newSession(long mount) {
    return catalog.initial(
        List.of("session", mount),
        () ->
            new SessionAutomaton(
                spec,
                mount,
                new VolumeSession(
                    spec,
                    mount,
                    signer,
                    new SessionConfig(16, 24, RESEND, FOREVER, 256, 64 << 10, 0),
                    new HashedBlocks(),
                    makers.rules().sessions())));
  }

  void tell(World w, Note n) {
    tell(w, catalog.number(n));
  }

  void tell(World w, int note) {
    int[] after = w.checks.clone();
    for (int i = 0; i < after.length; i++) {
      Catalog.Transition t = catalog.step(after[i], note);
      if (t.broken() != null) {
        throw t.broken();
      }
      after[i] = t.state();
    }
    w.checks = after;
    listener.accept((Note) catalog.thing(note));
  }

  /**
   * @param by reports the events of the checkers
   */
  void listen(Consumer<Note> by) {
    listener = by;
  }

  /** The lanes in which a member acts. */
  static List<Integer> lanes(World w, int member) {
    return Lanes.of(w.place(member), w.size(member));
  }

  /** The nodes in a set. */
  static List<Integer> nodes(int set) {
    List<Integer> all = new ArrayList<>();
    for (int n = 0; set >> n != 0; n++) {
      if ((set >> n & 1) != 0) {
        all.add(n);
      }
    }
    return all;
  }
}
