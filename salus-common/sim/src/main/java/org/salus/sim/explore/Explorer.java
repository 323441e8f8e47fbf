package org.salus.sim.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.salus.sim.SimOptions;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.automaton.Digest;
import org.salus.sim.explore.automaton.Prints;

/**
 * Visits every world that a scenario can reach, nearest first. So it finds what breaks a property
 * by a shortest way. Not thread-safe.
 */
public final class Explorer {

  /** The bound of an exploration: distinct states, and seconds. */
  public record Bound(long states, long seconds) {}

  /**
   * A broken property and the way to it.
   *
   * @param choices each step's index among the choices of its world
   * @param end whether it broke after the last choice, when the run was brought to its end
   */
  public record Broken(String what, List<Integer> choices, boolean end, RuntimeException cause) {}

  /**
   * The result of an exploration.
   *
   * @param states number of distinct worlds
   * @param merged number of steps that led to a known world
   * @param ends number of worlds in which nothing was under way; each was brought to its end,
   *     remounted and read back
   * @param depth number of steps of the longest of the shortest ways
   * @param components number of distinct states of members, sessions and checkers
   * @param runs number of events that a member, session or checker was run with
   * @param left number of worlds that were not visited because the bound was reached
   * @param broken the broken property, or null
   */
  public record Result(
      Scenario scenario,
      long states,
      long merged,
      long ends,
      int depth,
      int components,
      int runs,
      long left,
      double seconds,
      Broken broken) {

    /** Whether every world was visited and nothing broke. */
    public boolean isClean() {
      return broken == null && left == 0;
    }

    @Override
    public String toString() {
      String how =
          broken != null
              ? "BROKEN"
              : left > 0 ? "cut by the bound, " + left + " worlds not looked at" : "complete";
      return String.format(
          "%-9s %,11d states %,12d merged %,9d ends  depth %3d  %,8d component states %,9d transitions %7.1f s  %s",
          scenario.name(), states, merged, ends, depth, components, runs, seconds, how);
    }
  }

  private static final int REPORT_EVERY = 1 << 18;

  private final Scenario scenario;
  private final ExploredCluster cluster;
  private final Choices choices;
  private final Finish finish;
  private final Prints known = new Prints();
  private int[] parents = new int[1 << 12];
  private int[] indexes = new int[1 << 12];
  private World shape;
  private int states;
  private long merged;
  private long ends;
  private int depth;
  private long began;

  /** A world that is still to be visited, packed because there are many. */
  private record Todo(byte[] world, int number, int depth) {}

  /**
   * @param makers makes members and sessions; tests plant bugs here
   */
  public Explorer(Scenario scenario, SimOptions makers) {
    this.scenario = scenario;
    this.cluster = new ExploredCluster(scenario, makers);
    Steps steps = new Steps(cluster);
    this.choices = new Choices(cluster, steps);
    this.finish = new Finish(cluster, steps, choices);
  }

  /**
   * @param progress takes a line now and then
   */
  public Result run(Bound bound, Consumer<String> progress) {
    began = System.nanoTime();
    ArrayDeque<Todo> queue = new ArrayDeque<>();
    Broken broken = begin(queue);
    long nextReport = REPORT_EVERY;
    while (broken == null
        && !queue.isEmpty()
        && states < bound.states()
        && seconds() < bound.seconds()) {
      Todo t = queue.poll();
      depth = t.depth;
      broken = expand(t, queue);
      if (states >= nextReport) {
        nextReport += REPORT_EVERY;
        progress.accept(result(queue.size(), null).toString());
      }
    }
    return result(queue.size(), broken);
  }

  private Result result(int left, Broken broken) {
    return new Result(
        scenario,
        states,
        merged,
        ends,
        depth,
        cluster.catalog.states(),
        cluster.catalog.transitions(),
        left,
        seconds(),
        broken);
  }

  private double seconds() {
    return (System.nanoTime() - began) / 1e9;
  }

  private Broken begin(ArrayDeque<Todo> queue) {
    try {
      World w = finish.begin();
      shape = w;
      byte[] packed = w.pack();
      known.add(Digest.of(packed));
      queue.add(new Todo(packed, number(-1, 0), 0));
      return null;
    } catch (Violation | IllegalStateException e) {
      return new Broken(e.getMessage(), List.of(), false, e);
    }
  }

  private int number(int parent, int index) {
    if (states == parents.length) {
      parents = Arrays.copyOf(parents, 2 * states);
      indexes = Arrays.copyOf(indexes, 2 * states);
    }
    parents[states] = parent;
    indexes[states] = index;
    return states++;
  }

  private Broken expand(Todo t, ArrayDeque<Todo> queue) {
    World from = shape.unpack(t.world);
    int[] next = choices.of(from);
    if (Arrays.stream(next).allMatch(Choices::isFault)) {
      ends++;
      try {
        finish.run(from);
      } catch (Violation | IllegalStateException e) {
        return new Broken(e.getMessage(), way(t.number), true, e);
      }
    }
    for (int i = 0; i < next.length; i++) {
      try {
        byte[] packed = choices.take(from, next[i]).pack();
        if (known.add(Digest.of(packed))) {
          queue.add(new Todo(packed, number(t.number, i), t.depth + 1));
        } else {
          merged++;
        }
      } catch (Violation | IllegalStateException e) {
        List<Integer> way = way(t.number);
        way.add(i);
        return new Broken(e.getMessage(), way, false, e);
      }
    }
    return null;
  }

  private List<Integer> way(int number) {
    List<Integer> way = new ArrayList<>();
    for (int n = number; parents[n] >= 0; n = parents[n]) {
      way.add(indexes[n]);
    }
    Collections.reverse(way);
    return way;
  }
}
