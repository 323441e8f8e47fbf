package org.salus.benchmarks.peers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class RequestWindowTest {
  private static final int MOST = 16;

  private final RequestWindow window = new RequestWindow(MOST);
  private final CountDownLatch entered = new CountDownLatch(1);

  @Test
  void whoFindsNoRoomEntersWhenAnEighthIsFree() throws InterruptedException {
    for (int i = 0; i < MOST; i++) {
      window.enter();
    }
    Thread late =
        new Thread(
            () -> {
              window.enter();
              entered.countDown();
            });
    late.start();
    awaitParked(late);
    window.leave();
    awaitParked(late);
    assertThat(entered.getCount()).as("entered with one place free").isEqualTo(1);
    window.leave();
    assertThat(entered.await(10, TimeUnit.SECONDS)).as("entered with two places free").isTrue();
  }

  private static void awaitParked(Thread thread) {
    while (thread.getState() != Thread.State.WAITING) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }
}
