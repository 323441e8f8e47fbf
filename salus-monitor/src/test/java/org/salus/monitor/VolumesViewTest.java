package org.salus.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.client.VolumeInfo;

@Timeout(60)
class VolumesViewTest {
  private static final long LATER = TimeUnit.SECONDS.toNanos(3);

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();

  /** While it is not at zero, the members do not answer. */
  private volatile CountDownLatch silence = new CountDownLatch(0);

  private volatile boolean junk;

  private final VolumesView view =
      new VolumesView("m:1", "Master", false, TestCluster::new, now::get);

  private final class TestCluster implements VolumesView.Cluster {
    @Override
    public List<VolumeInfo> infos() {
      asked.incrementAndGet();
      if (junk) {
        throw new NullPointerException("path");
      }
      try {
        silence.await();
      } catch (InterruptedException cut) {
        throw new IllegalStateException(cut);
      }
      return List.of();
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  /** Somebody who looks, and whose question to the members is under way. */
  private CompletableFuture<?> looks() {
    int before = asked.get();
    CompletableFuture<?> look = CompletableFuture.runAsync(view::look);
    while (asked.get() == before) {
      Thread.onSpinWait();
    }
    return look;
  }

  @Test
  void manyLooksAreOneQuestion() {
    assertThat(view.look()).isPresent();
    assertThat(view.look()).isPresent();
    assertThat(asked).hasValue(1);
    now.addAndGet(LATER);
    assertThat(view.look()).isPresent();
    assertThat(asked).hasValue(2);
  }

  @Test
  void othersDoNotWaitForTheOneThatAsks() {
    silence = new CountDownLatch(1);
    CompletableFuture<?> first = looks();
    assertThat(view.look()).as("nothing is known yet").isEmpty();
    silence.countDown();
    first.join();
    ClusterState known = view.look().orElseThrow();
    now.addAndGet(LATER);
    silence = new CountDownLatch(1);
    CompletableFuture<?> second = looks();
    assertThat(view.look()).as("the last state").containsSame(known);
    silence.countDown();
    second.join();
  }

  @Test
  void aBugIsThePagesProblemAndIsNotMetAtEachLook() {
    junk = true;
    assertThat(view.look().orElseThrow().problem()).contains("path");
    assertThat(view.look()).isPresent();
    assertThat(asked).hasValue(1);
  }

  @Test
  void aViewAtWhichNobodyLooksGivesItsConnectionUp() {
    view.look();
    now.addAndGet(TimeUnit.MINUTES.toNanos(4));
    view.rest();
    assertThat(closed).hasValue(0);
    now.addAndGet(TimeUnit.MINUTES.toNanos(2));
    view.rest();
    view.rest();
    assertThat(closed).hasValue(1);
    assertThat(view.look().orElseThrow().problem()).isEmpty();
    assertThat(asked).hasValue(2);
  }

  @Test
  void aCloseDoesNotWaitForMembers() {
    silence = new CountDownLatch(1);
    CompletableFuture<?> look = looks();
    view.close();
    assertThat(closed).hasValue(1);
    silence.countDown();
    look.join();
    now.addAndGet(LATER);
    assertThat(view.look().orElseThrow().problem()).isEqualTo("this server is ending");
  }
}
