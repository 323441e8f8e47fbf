package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.salus.core.member.RegionMember;
import org.salus.host.metrics.Metrics;

class RegionServerEngineTest {
  private static final ServerContext CONTEXT =
      new ServerContext(
          "node0:16020",
          "127.0.0.1",
          7,
          "127.0.0.1:1",
          Map.of(),
          (what, bug) -> {
            throw new AssertionError(what, bug);
          },
          new Metrics());

  /** The threads on which the engine has tried to start. */
  private final List<Thread> attempts = new CopyOnWriteArrayList<>();

  /** Waits until the thread has done what it had to do, and has something to do later. */
  private static void awaitPause(Thread thread) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (thread.getState() != Thread.State.TIMED_WAITING && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(thread.getState()).isEqualTo(Thread.State.TIMED_WAITING);
  }

  @Test
  void engineThatIsStoppedBetweenTwoAttemptsDoesNotStart() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    RegionServerEngine engine =
        new RegionServerEngine(
            RegionMember::new,
            (context, members, unguarded) -> {
              attempts.add(Thread.currentThread());
              failed.countDown();
              throw new IOException("no ZooKeeper");
            });
    engine.start(CONTEXT);
    assertThat(failed.await(20, TimeUnit.SECONDS)).isTrue();
    awaitPause(attempts.get(0));
    engine.stop();
    attempts.get(0).join(TimeUnit.SECONDS.toMillis(20));
    assertThat(attempts.get(0).isAlive()).isFalse();
    assertThat(attempts).hasSize(1);
  }
}
