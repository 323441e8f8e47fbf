package org.salus.sim.scale;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** A process that does one thing after another, on any core of its machine. */
final class SerialProcess {
  private final Machine machine;
  private final Deque<Supplier<Step>> waiting = new ArrayDeque<>();
  private boolean busy;

  /** The processor time of a step in nanoseconds, and its continuation. */
  record Step(long nanos, Runnable then) {}

  SerialProcess(Machine machine) {
    this.machine = machine;
  }

  /** Adds a step, which runs when all earlier ones are done. */
  void add(Supplier<Step> what) {
    waiting.add(what);
    if (!busy) {
      next();
    }
  }

  private void next() {
    Supplier<Step> what = waiting.poll();
    busy = what != null;
    if (busy) {
      Step step = what.get();
      machine.compute(
          step.nanos,
          () -> {
            step.then.run();
            next();
          });
    }
  }
}
