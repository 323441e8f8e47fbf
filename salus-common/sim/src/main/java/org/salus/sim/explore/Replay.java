package org.salus.sim.explore;

import java.util.List;
import java.util.function.Consumer;
import org.salus.sim.SimOptions;
import org.salus.sim.check.Violation;

/**
 * One way through a scenario's worlds, told step by step, and on from its last world to the end.
 */
public final class Replay {
  private final ExploredCluster cluster;
  private final Choices choices;
  private final Finish finish;
  private final Narrator narrator;

  /**
   * @param makers the makers with which the way was found
   */
  public Replay(Scenario scenario, SimOptions makers) {
    this.cluster = new ExploredCluster(scenario, makers);
    Steps steps = new Steps(cluster);
    this.choices = new Choices(cluster, steps);
    this.finish = new Finish(cluster, steps, choices);
    this.narrator = new Narrator(cluster, steps);
  }

  /**
   * @param way each step's index among the choices of its world
   * @param told takes a line for each step
   * @return the broken property, or null
   */
  public RuntimeException run(List<Integer> way, Consumer<String> told) {
    try {
      World w = finish.begin();
      cluster.listen(n -> Narrator.note(n).ifPresent(line -> told.accept("    " + line)));
      for (int index : way) {
        int[] next = choices.of(w);
        if (index < 0 || index >= next.length) {
          throw new IllegalArgumentException(
              "there is no choice "
                  + index
                  + " of "
                  + next.length
                  + " here: this way is not of this scenario and version");
        }
        told.accept(narrator.line(w, next[index]));
        w = choices.take(w, next[index]);
      }
      told.accept("-- to the end, without further faults --");
      finish.watch((world, choice) -> told.accept(narrator.line(world, choice)));
      finish.run(finish.drain(withoutFaults(w)));
      told.accept("-- nothing broke --");
      return null;
    } catch (Violation | IllegalStateException e) {
      told.accept("BROKEN: " + e.getMessage());
      return e;
    }
  }

  private static World withoutFaults(World w) {
    World quiet = w.copy();
    quiet.faults = 0;
    return quiet;
  }
}
