package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.salus.sim.fault.SimFault;
import org.salus.sim.fault.disk.DiskFaults;
import org.salus.sim.fault.network.NetworkFaults;
import org.salus.sim.fault.process.ProcessFaults;
import org.salus.sim.fault.wrong.Wrong;

/** The faults of one run, drawn from its seed. */
public final class FaultPlan {
  private static final long MILLI = 1_000_000;

  /** A fault, the time when it begins and the latest time when it ends, in virtual nanoseconds. */
  public record Step(long at, long until, SimFault fault) {}

  private static final List<Supplier<SimFault>> PROCESSES = ProcessFaults.KINDS;
  private static final List<Supplier<SimFault>> NETWORK = NetworkFaults.KINDS;
  private static final List<Supplier<SimFault>> DISKS = DiskFaults.KINDS;

  private FaultPlan() {}

  /** Draws the faults of a run. */
  public interface Drawing {
    /**
     * @param beyond whether faults may exceed the promise
     */
    List<Step> draw(Random random, boolean beyond);
  }

  /** Every kind of fault. */
  public static List<Supplier<SimFault>> all() {
    return Stream.of(PROCESSES, NETWORK, DISKS, Wrong.KINDS, Wrong.ALONE)
        .flatMap(List::stream)
        .toList();
  }

  /** A drawing of one to three faults of these kinds only. */
  public static Drawing only(String... kinds) {
    List<Supplier<SimFault>> chosen =
        all().stream().filter(f -> List.of(kinds).contains(f.get().kind())).toList();
    if (chosen.stream().map(f -> f.get().kind()).distinct().count() < kinds.length) {
      throw new IllegalArgumentException(
          "kinds of faults are "
              + all().stream().map(f -> f.get().kind()).distinct().sorted().toList());
    }
    return (random, beyond) -> {
      List<Step> steps = new ArrayList<>();
      for (int i = 1 + random.nextInt(3); i > 0; i--) {
        steps.add(step(random, chosen));
      }
      return steps;
    };
  }

  /** A fault of a kind and its times in a {@link #script}, in milliseconds. */
  public record Timed(String kind, int at, int until) {}

  /** A drawing of just these faults, each of which has had time to take effect before the next. */
  public static Drawing script(Timed... faults) {
    return (random, beyond) ->
        Stream.of(faults)
            .map(f -> new Step(f.at() * MILLI, f.until() * MILLI, ofKind(f.kind())))
            .toList();
  }

  private static SimFault ofKind(String kind) {
    return all().stream()
        .map(Supplier::get)
        .filter(f -> f.kind().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  private static Step step(Random random, List<Supplier<SimFault>> kinds) {
    long at = MILLI * (50 + random.nextInt(1500));
    long until = at + MILLI * (100 + random.nextInt(random.nextBoolean() ? 500 : 3000));
    return new Step(at, until, kinds.get(random.nextInt(kinds.size())).get());
  }

  /**
   * Draws some steps, in the order of time.
   *
   * @param beyond whether faults may exceed the promise; most of them are damage then
   */
  public static List<Step> draw(Random random, boolean beyond) {
    List<Step> steps = new ArrayList<>();
    int n = beyond ? 4 + random.nextInt(6) : random.nextInt(5);
    for (int i = 0; i < n; i++) {
      int dice = random.nextInt(10);
      List<Supplier<SimFault>> kinds =
          dice < (beyond ? 2 : 5)
              ? PROCESSES
              : dice < (beyond ? 3 : 7) ? NETWORK : dice < (beyond ? 8 : 9) ? DISKS : Wrong.KINDS;
      boolean isAlone = kinds == Wrong.KINDS && random.nextInt(3) == 0;
      steps.add(step(random, isAlone ? Wrong.ALONE : kinds));
      if (kinds == Wrong.KINDS && !isAlone && random.nextBoolean()) {
        steps.add(step(random, kinds)); // otherwise two are hardly ever wrong at once
      }
    }
    return steps;
  }
}
