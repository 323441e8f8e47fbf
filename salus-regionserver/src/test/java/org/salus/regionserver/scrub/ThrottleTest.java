package org.salus.regionserver.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ThrottleTest {
  private long now = -5;

  private long nanosFor(long rate, int times, int bytes) {
    Throttle t = new Throttle(rate, () -> now, nanos -> now += nanos);
    long begin = now;
    for (int i = 0; i < times; i++) {
      t.take(bytes);
    }
    return now - begin;
  }

  @Test
  void bytesGoNoFasterThanTheRate() {
    assertThat(nanosFor(1000, 11, 100))
        .as("1100 bytes at 1000 a second, the first at once")
        .isEqualTo(1_000_000_000L);
  }

  @Test
  void aPauseSavesNothingUpForLater() {
    Throttle t = new Throttle(1000, () -> now, nanos -> now += nanos);
    t.take(100);
    now += 10_000_000_000L;
    long begin = now;
    t.take(500);
    t.take(500);
    assertThat(now - begin).isEqualTo(500_000_000L);
  }

  @Test
  void rateZeroIsNoLimit() {
    assertThat(nanosFor(0, 1000, 1 << 20)).isZero();
  }
}
