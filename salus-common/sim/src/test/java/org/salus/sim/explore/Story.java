package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.salus.sim.SimOptions;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.explore.automaton.ScriptedRequest;

/**
 * One course of a world, told line by line. Everything happens in the order in which it became
 * possible, except what the story holds back.
 */
final class Story {
  private final ExploredCluster cluster;
  private final Steps steps;
  private final Choices choices;
  private final Finish finish;
  private final Narrator narrator;
  private final List<String> lines = new ArrayList<>();

  /** The step at which each thing under way became possible. */
  private final Map<List<Integer>, Integer> since = new HashMap<>();

  private int clock;

  /** Selects the choices that are held back. */
  private BiPredicate<World, Integer> held = (w, choice) -> false;

  World world;

  Story(Scenario scenario) {
    cluster = new ExploredCluster(scenario, SimOptions.standard());
    steps = new Steps(cluster);
    choices = new Choices(cluster, steps);
    finish = new Finish(cluster, steps, choices);
    narrator = new Narrator(cluster, steps);
  }

  List<String> lines() {
    return lines;
  }

  void say(String line) {
    lines.add(line);
  }

  /** Begins with a mounted volume, before the first request. These steps are not told. */
  void begin() {
    world = finish.mounted();
    world.faults = 0;
    cluster.listen(n -> Narrator.note(n).ifPresent(line -> lines.add("    " + line)));
  }

  void issue(ScriptedRequest r) {
    World w = world.copy();
    finish.issue(w, r);
    world = w;
  }

  void holdUp(BiPredicate<World, Integer> what) {
    held = what;
  }

  /** Makes a choice happen now. */
  void force(Choices.Kind kind, int what, int which) {
    take(Choices.choice(kind, what, which));
  }

  private void take(int choice) {
    lines.add(narrator.line(world, choice));
    world = choices.take(world, choice);
  }

  /** Runs until only what is held back is under way. */
  void run() {
    for (int next = oldest(); next >= 0; next = oldest()) {
      take(next);
    }
  }

  private int oldest() {
    int best = -1;
    int bestSince = Integer.MAX_VALUE;
    note();
    for (int choice : choices.of(world)) {
      if (!held.test(world, choice)) {
        int at = since.get(key(choice));
        if (at < bestSince) {
          bestSince = at;
          best = choice;
        }
      }
    }
    return best;
  }

  private void note() {
    Map<List<Integer>, Integer> now = new HashMap<>();
    for (int i = 0; i < world.flights.length; i += World.FLIGHT) {
      now.put(key(Choices.choice(Choices.Kind.DELIVER, i, 0)), 0);
    }
    for (int choice : choices.of(world)) {
      now.put(key(choice), 0);
    }
    since.keySet().retainAll(now.keySet());
    clock++;
    now.keySet().forEach(k -> since.putIfAbsent(k, clock));
  }

  private List<Integer> key(int choice) {
    int what = Choices.what(choice);
    int kind = Choices.kind(choice).ordinal();
    return switch (Choices.kind(choice)) {
      case DELIVER ->
          List.of(kind, world.flights[what], world.flights[what + 1], world.flights[what + 2]);
      case APPEND -> List.of(kind, what, world.appends[what][0]);
      case OP -> List.of(kind, what, world.ops[what][Choices.which(choice)]);
      default -> List.of(kind, what);
    };
  }

  /** The message that a choice delivers, or null. */
  Parcel parcel(World w, int choice) {
    boolean delivery = Choices.kind(choice) == Choices.Kind.DELIVER;
    return delivery
            && cluster.catalog.thing(w.flights[Choices.what(choice) + 2]) instanceof Parcel p
        ? p
        : null;
  }

  static Scenario scenario(int regions, int spares) {
    return new Scenario("story", "", regions, 3, spares, false, false, List.of(), Set.of(), true);
  }
}
