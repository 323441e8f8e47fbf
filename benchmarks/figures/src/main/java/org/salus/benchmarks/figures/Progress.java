package org.salus.benchmarks.figures;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.LongSupplier;

/**
 * Reports what is being done and about how long it will still take. It estimates from steps or from
 * the share that is done. For one thread.
 */
final class Progress {
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final Consumer<String> out;
  private final LongSupplier clock;
  private final int steps;
  private int begun;
  private long begin;

  /**
   * @param steps number of steps to come, about equally long
   */
  Progress(Consumer<String> out, int steps) {
    this(out, steps, System::nanoTime);
  }

  Progress(Consumer<String> out, int steps, LongSupplier clock) {
    this.out = out;
    this.steps = steps;
    this.clock = clock;
  }

  /**
   * Reports that a step of a round begins.
   *
   * @param round the number of the round; 0 warms up
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
    out.accept(
        (round == 0 ? "warming up" : "round " + round + " of " + rounds)
            + ": "
            + what
            + " ("
            + begun
            + " of "
            + steps
            + left
            + ")");
  }

  /**
   * Reports that something begins. The returned function takes the share that is done, and now and
   * then reports the time left.
   */
  static DoubleConsumer ofShare(Consumer<String> out, String what, LongSupplier clock) {
    out.accept(what);
    long begin = clock.getAsLong();
    long[] told = {begin};
    return share -> {
      long now = clock.getAsLong();
      if (now - told[0] >= EVERY_NANOS) {
        told[0] = now;
        out.accept(
            String.format(
                "%s: %.0f %% done, %s left",
                what, 100 * share, text(Math.round((now - begin) * (1 - share) / share))));
      }
    };
  }

  private static String text(long nanos) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
    return seconds < 90 ? "about " + seconds + " s" : "about " + (seconds + 30) / 60 + " min";
  }
}
