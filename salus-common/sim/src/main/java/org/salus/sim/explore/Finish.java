package org.salus.sim.explore;

import java.util.function.Predicate;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.automaton.Automaton;
import org.salus.sim.explore.automaton.ScriptedRequest;

/**
 * Takes a world in which nothing is under way to its end, in one order. DataNodes that are away
 * come back, and time-outs come until every request is done (P7). Then a new session mounts the
 * volume, reads everything back, writes and reads again.
 */
final class Finish {
  /** The rounds of time-outs of everybody within which all requests must be done. */
  private static final int ROUNDS = 60;

  /** Learns of each choice before it is taken. */
  interface Watcher {
    void sees(World w, int choice);
  }

  private final ExploredCluster cluster;
  private final Steps steps;
  private final Choices choices;
  private Watcher watcher = (w, choice) -> {};

  Finish(ExploredCluster cluster, Steps steps, Choices choices) {
    this.cluster = cluster;
    this.steps = steps;
    this.choices = choices;
  }

  void watch(Watcher by) {
    watcher = by;
  }

  /** The world in which every region serves and a session has mounted the volume. */
  World mounted() {
    World w = cluster.empty();
    for (int r = 0; r < w.regions; r++) {
      steps.master.first(w, r);
    }
    steps.master.mount(w);
    return until(drain(w), this::isIdle, "mounted");
  }

  /** The {@link #mounted} world with the scenario's requests issued. */
  World begin() {
    World w = mounted().copy();
    for (ScriptedRequest r : cluster.scenario.requests()) {
      issue(w, r);
    }
    w.faults = cluster.scenario.faults().isEmpty() ? 0 : 1;
    return w;
  }

  /**
   * @throws Violation when a property breaks before the end
   */
  void run(World quiet) {
    World w = quiet.copy();
    w.faults = 0;
    w.stores |= w.away;
    for (int r = 0; r < w.regions; r++) {
      steps.kill(w, w.actor(r, World.UNAWARE));
    }
    w = until(drain(w), this::isIdle, "done with every request");
    long id = cluster.scenario.requests().size();
    steps.master.mount(w);
    w = until(drain(w), this::isIdle, "mounted again");
    int blocks = cluster.spec.regionCount() == 1 ? 1 : 2;
    for (char kind : new char[] {'r', 'w', 'r'}) {
      issue(w, new ScriptedRequest(++id, kind, 127, blocks));
    }
    until(drain(w), this::isIdle, "done with the requests of the last mount");
  }

  /** Issues a request in the given world, which it changes. */
  void issue(World w, ScriptedRequest r) {
    steps.run(w, w.session(w.mounts), cluster.catalog.number(r));
  }

  /** Whether the newest session has nothing left to do. */
  private boolean isIdle(World w) {
    int session = w.session(w.mounts);
    return w.isAlive(session) && cluster.catalog.isIdle(w.actors[session]);
  }

  private World until(World from, Predicate<World> done, String what) {
    World w = from;
    for (int round = 0; !done.test(w); round++) {
      if (round == ROUNDS) {
        throw new Violation(
            "P7 liveness",
            "nothing is under way, no fault is left, and the session is not " + what);
      }
      World next = w.copy();
      int tick = cluster.catalog.number(new Automaton.Tick());
      for (int a = 0; a < next.actors.length; a++) {
        if (next.isAlive(a)) {
          steps.run(next, a, tick);
        }
      }
      steps.master.pass(next, new Automaton.Tick());
      w = drain(next);
    }
    return w;
  }

  /** Runs until nothing is under way. */
  World drain(World from) {
    World w = from;
    for (int[] next = choices.of(w); next.length > 0; next = choices.of(w)) {
      watcher.sees(w, next[0]);
      w = choices.take(w, next[0]);
    }
    return w;
  }
}
