package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.client.loop.CallbackPool;

/**
 * Many threads call a volume at random, and wrongly, while its servers fail. No future is lost, no
 * byte is wrong, nothing is kept, and the volume can be used afterwards. A seed determines the
 * calls and the faults, not how threads interleave.
 */
@Tag("long")
class FuzzTest {
  /** How long it runs. */
  private static final double MINUTES =
      Double.parseDouble(System.getProperty("salus.fuzz.minutes", "0.2"));

  /** The seed of the only round, if it is given. */
  private static final Long ONLY = Long.getLong("salus.fuzz.seed");

  private static final int MOST_CALLERS = 5;

  /** How a round ends. */
  private enum End {
    CLOSE,
    ABANDON,
    BUG,
    NOTHING
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void callsAtRandomLoseNothing() throws Exception {
    long end = System.nanoTime() + (long) (MINUTES * TimeUnit.MINUTES.toNanos(1));
    long seed = ONLY != null ? ONLY : System.nanoTime();
    long first = seed;
    System.out.println("fuzz: the first round has the seed " + first);
    do {
      try {
        round(seed);
      } catch (Exception | AssertionError found) {
        throw new AssertionError("replay with -Dsalus.fuzz.seed=" + seed, found);
      }
      seed++;
    } while (ONLY == null && System.nanoTime() - end < 0);
    System.out.println("fuzz: " + (seed - first) + " rounds");
  }

  private static void round(long seed) throws Exception {
    Random random = new Random(seed);
    ExecutorService pool =
        random.nextBoolean() ? CallbackPool.create() : Executors.newSingleThreadExecutor();
    boolean onLoop = random.nextInt(3) == 0;
    Executor callbacks = onLoop ? seldomRefusing(random.nextInt(4)) : pool;
    long most = (48L << 10) << random.nextInt(6);
    int turns = 5 + random.nextInt(25);
    End how = End.values()[random.nextInt(End.values().length)];
    int endAfter = random.nextInt(turns);
    try (FuzzedCluster cluster = new FuzzedCluster(random.nextLong())) {
      FuzzedCluster.Opened opened = cluster.open(callbacks, most);
      List<FuzzedCaller> callers = new ArrayList<>();
      for (int i = 1 + random.nextInt(MOST_CALLERS); i > 0; i--) {
        callers.add(new FuzzedCaller(cluster, callers.size(), random.nextLong(), onLoop));
      }
      cluster.setHarms(random.nextInt(4) > 0);
      List<Runnable> tasks = new ArrayList<>();
      for (FuzzedCaller c : callers) {
        tasks.add(
            () -> {
              for (int i = 0; i < turns; i++) {
                if (c == callers.get(0) && i == endAfter) {
                  end(how, cluster, opened.volume());
                }
                c.turn(opened.volume(), how != End.NOTHING);
              }
            });
      }
      runAll(tasks);
      cluster.setHarms(false);
      if (how == End.BUG) {
        meetBug(cluster, opened);
      }
      cluster.removeBug();
      if (how == End.NOTHING) {
        awaitUsable(cluster, opened);
        callers.forEach(c -> c.checkAll(opened.volume()));
        opened.volume().close();
      }
      cluster.await(opened.host().done());
      assertNothingKept(cluster, opened);
      FuzzedCluster.Opened next = cluster.open(callbacks, most);
      awaitUsable(cluster, next); // the members may not have heard yet that there is room
      runAll(callers.stream().<Runnable>map(c -> () -> c.checkAll(next.volume())).toList());
      next.volume().close();
      cluster.await(next.host().done());
      assertNothingKept(cluster, next);
    } finally {
      pool.shutdown();
      assertThat(pool.awaitTermination(1, TimeUnit.MINUTES)).as("threads end").isTrue();
    }
  }

  /** The bug ends the volume when it sends something, which it may not have done since. */
  private static void meetBug(FuzzedCluster cluster, FuzzedCluster.Opened opened) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!opened.host().done().isDone() && System.nanoTime() - end < 0) {
      cluster.await(opened.volume().write(0, ByteBuffer.allocate(1)));
    }
  }

  /** Once nothing goes wrong any more, every call works again: the volume mounts itself. */
  private static void awaitUsable(FuzzedCluster cluster, FuzzedCluster.Opened opened) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    CompletableFuture<Void> probe;
    do {
      probe = opened.volume().write(0, ByteBuffer.allocate(1)); // it is nobody's
      cluster.await(probe);
    } while (probe.isCompletedExceptionally() && System.nanoTime() - end < 0);
  }

  private static void assertNothingKept(FuzzedCluster cluster, FuzzedCluster.Opened opened)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (opened.volume().statistics().outstandingBytes() > 0 && System.nanoTime() - end < 0) {
      Thread.onSpinWait(); // a callback that came late has called again
    }
    assertThat(opened.volume().statistics().outstandingRequests()).isZero();
    assertThat(opened.volume().statistics().outstandingBytes()).isZero();
    assertThat(opened.memory().take(opened.memory().most(), Duration.ofMinutes(1)))
        .as("all memory is back")
        .isTrue();
    opened.outstanding().release(opened.memory().most());
    assertThat(cluster.sessions()).isEmpty();
  }

  private static void end(End how, FuzzedCluster cluster, RemoteVolume volume) {
    switch (how) {
      case CLOSE -> volume.close();
      case ABANDON -> cluster.await(volume.abandon());
      case BUG -> cluster.plantBug();
      case NOTHING -> {}
    }
  }

  /** An executor that runs tasks on the calling thread, and refuses one of so many; 0 for none. */
  private static Executor seldomRefusing(int oneOf) {
    AtomicInteger tasks = new AtomicInteger();
    return task -> {
      if (oneOf > 0 && tasks.incrementAndGet() % (oneOf * 10) == 0) {
        throw new RejectedExecutionException("refused by the fuzz");
      }
      task.run();
    };
  }

  private static void runAll(List<Runnable> tasks) throws InterruptedException {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (Runnable task : tasks) {
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      Thread thread =
          new Thread(
              () -> {
                try {
                  task.run();
                  end.complete(null);
                } catch (RuntimeException | Error found) {
                  end.completeExceptionally(found);
                }
              },
              "fuzz-caller");
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new)).join();
  }
}
