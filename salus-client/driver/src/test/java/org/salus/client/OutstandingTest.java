package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class OutstandingTest {
  private static final int MEMORY = 1 << 20;

  private final AtomicLong now = new AtomicLong();
  private final Outstanding outstanding =
      new Outstanding("disk", new RequestMemory(MEMORY), Duration.ZERO, now::get);

  private Operation<?> call() {
    Operation<?> op = new RemoteVolume.Flush(4096);
    assertThat(outstanding.reserve(op.weight(), false)).isNull();
    outstanding.add(op);
    return op;
  }

  @Test
  void theOldestIsTheFirstThatHasNotEnded() {
    assertThat(outstanding.statistics().oldestOutstanding()).isZero();
    Operation<?> first = call();
    now.addAndGet(TimeUnit.SECONDS.toNanos(3));
    Operation<?> second = call();
    now.addAndGet(TimeUnit.SECONDS.toNanos(2));

    assertThat(outstanding.statistics().oldestOutstanding()).hasSeconds(5);
    first.drop();
    assertThat(outstanding.statistics().oldestOutstanding()).hasSeconds(2);
    second.drop();
    assertThat(outstanding.statistics().oldestOutstanding()).isZero();
  }

  @Test
  void aRequestIsSlowThatTookMoreThanASecondHoweverItEnded() {
    Operation<?> quick = call();
    now.addAndGet(TimeUnit.SECONDS.toNanos(1));
    quick.drop();
    assertThat(outstanding.statistics().slow()).isZero();

    Operation<?> slow = call();
    Operation<?> failed = call();
    now.addAndGet(TimeUnit.SECONDS.toNanos(1) + 1);
    slow.succeed(null);
    failed.fail(new SalusException.Closed("closed"));
    assertThat(outstanding.statistics().slow()).isEqualTo(2);
    assertThat(outstanding.statistics().flushes()).isEqualTo(1);
  }
}
