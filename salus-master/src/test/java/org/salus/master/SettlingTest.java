package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.salus.client.SalusException;

/** When the master settles what a writer has left. */
class SettlingTest {
  private final BlockingQueue<String> settled = new LinkedBlockingQueue<>();
  private final Queue<SalusException> failures = new ConcurrentLinkedQueue<>();
  private long now;
  private final Settling settling =
      new Settling(
          volume -> {
            settled.add(volume);
            SalusException failure = failures.poll();
            if (failure != null) {
              throw failure;
            }
          },
          () -> now);

  @AfterEach
  void stop() {
    settling.close();
  }

  private void look(long after, long leftBehind) {
    now += after;
    settling.look("disk", leftBehind);
  }

  private String next() throws InterruptedException {
    return settled.poll(10, TimeUnit.SECONDS);
  }

  @Test
  void aVolumeIsSettledSomeTimeAfterItsWriterIsGone() throws Exception {
    look(0, 7);
    look(Settling.AFTER_NANOS - 1, 7);
    settling.look("other", 3);
    look(1, 7);
    assertThat(next()).isEqualTo("disk");
    look(1, 0);
    look(Settling.AFTER_NANOS, 0);
    settling.look("other", 3);
    assertThat(next()).as("disk was settled once").isEqualTo("other");
  }

  @Test
  void theTimeBeginsAnewWithEachWriter() throws Exception {
    look(0, 7);
    look(Settling.AFTER_NANOS - 1, 0); // it has a writer
    look(1, 8);
    look(Settling.AFTER_NANOS - 1, 8);
    settling.look("other", 1);
    look(1, 8);
    assertThat(next()).isEqualTo("disk");
    assertThat(settled).isEmpty();
  }

  @Test
  void aFailureIsTriedAgainAfterTheSameTime() throws Exception {
    failures.add(new SalusException.Unavailable("a region does not serve", null));
    look(0, 7);
    look(Settling.AFTER_NANOS, 7);
    assertThat(next()).isEqualTo("disk");
    look(Settling.AFTER_NANOS - 1, 7);
    look(1, 7);
    assertThat(next()).isEqualTo("disk");
    assertThat(settled).isEmpty();
  }

  @Test
  void aVolumeThatIsGoneIsForgotten() throws Exception {
    look(0, 7);
    settling.retain(Set.of("other"));
    look(Settling.AFTER_NANOS, 7);
    settling.look("other", 1);
    now += Settling.AFTER_NANOS;
    settling.look("other", 1);
    assertThat(next()).isEqualTo("other");
  }
}
