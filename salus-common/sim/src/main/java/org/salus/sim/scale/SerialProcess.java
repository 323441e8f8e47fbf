package org.salus.sim.scale;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** What does one thing after another on any core of its machine. */
final class SerialProcess {
  private final Machine machine;
  private final Deque<Supplier<Step>> waiting = new ArrayDeque<>();
  private boolean busy;

  /** The processor time that something took, and what comes of it then. */
  record Step(long nanos, Runnable then) {}

  SerialProcess(Machine machine) {
    this.machine = machine;
  }

  /** Does it when everything before is done. */
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
