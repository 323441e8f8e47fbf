package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Runs of many seeds. Every commit has fresh seeds; one commit always has the same. */
public final class Seeds {
  private static final int THREADS = 2;
  private static final int HEX_DIGITS = 12;

  private Seeds() {}

  /** The first seed: {@code -Dsalus.sim.start}, or else a number from the commit's hash. */
  static long first() {
    Long given = Long.getLong("salus.sim.start");
    return given != null ? given : Long.parseLong(commit().substring(0, HEX_DIGITS), 16);
  }

  /** The number of seeds: {@code -Dsalus.sim.seeds}, or else 2,000. */
  static int count() {
    return Integer.getInteger("salus.sim.seeds", 2000);
  }

  private static String commit() {
    try {
      Process git = new ProcessBuilder("git", "rev-parse", "HEAD").start();
      String hash =
          new String(git.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
      assertThat(git.waitFor())
          .as("git rev-parse HEAD; outside a clone give -Dsalus.sim.start=N")
          .isZero();
      return hash;
    } catch (IOException e) {
      throw new IllegalStateException(
          "git is missing: apt-get install git, or give -Dsalus.sim.start=N", e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Runs the simulations on two threads. Fails with every seed that broke a property. */
  static void run(String what, int count, SimOptions options, String replayOption)
      throws InterruptedException {
    each(
        what,
        count,
        seed -> {
          try {
            new Simulation(seed, options).run();
          } catch (RuntimeException e) {
            throw new AssertionError(
                e + "; replay: bin/salus sim --seed " + seed + " --trace" + replayOption, e);
          }
        });
  }

  /**
   * Calls the body with every seed from {@link #first} on two threads. Fails with every seed for
   * which it threw.
   */
  public static void each(String what, int count, LongConsumer body) throws InterruptedException {
    long first = first();
    System.out.println(
        "simulating "
            + what
            + ", seeds "
            + first
            + " to "
            + (first + count - 1)
            + "; repeat with -Dsalus.sim.start="
            + first);
    Queue<String> failures = new ConcurrentLinkedQueue<>();
    AtomicLong next = new AtomicLong(first);
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    for (int i = 0; i < THREADS; i++) {
      pool.execute(
          () -> {
            for (long seed = next.getAndIncrement();
                seed < first + count;
                seed = next.getAndIncrement()) {
              try {
                body.accept(seed);
              } catch (RuntimeException | AssertionError e) {
                failures.add("seed " + seed + ": " + e);
              }
            }
          });
    }
    pool.shutdown();
    assertThat(pool.awaitTermination(1, TimeUnit.HOURS)).isTrue();
    assertThat(failures).isEmpty();
  }
}
