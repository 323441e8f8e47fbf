package org.salus.dist.bench.figures;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Tells what is being done and about how long it will still take. For one thread. */
final class Progress {
  private final Consumer<String> out;
  private final LongSupplier clock;
  private final int steps;
  private int begun;
  private long begin;

  /** @param steps that there will be, of about the same length each */
  Progress(Consumer<String> out, int steps) {
    this(out, steps, System::nanoTime);
  }

  Progress(Consumer<String> out, int steps, LongSupplier clock) {
    this.out = out;
    this.steps = steps;
    this.clock = clock;
  }

  /**
   * A step of a round begins.
   *
   * @param round 0 warms up
   */
  void next(int round, int rounds, String what) {
    long now = clock.getAsLong();
    String left = "";
    if (begun == 0) {
      begin = now;
    } else {
      left = ", " + text((now - begin) / begun * (steps - begun)) + " left";
    }
    begun++;
    out.accept((round == 0 ? "warming up" : "round " + round + " of " + rounds) + ": " + what + " (" + begun + " of " + steps + left + ")");
  }

  private static String text(long nanos) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return seconds < 90 ? "about " + seconds + " s" : "about " + (seconds + 30) / 60 + " min";
  }
}
