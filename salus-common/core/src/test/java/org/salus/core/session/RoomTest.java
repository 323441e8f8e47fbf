package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How long changes fail after refusals for want of room. */
class RoomTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long DAY = 86_400 * SECOND;

  /** The mounts for which a log keeps room. */
  private static final int RESERVE = 48;

  private final Room room = new Room(2, SECOND);

  /** The time at which the pause ends that goes on at {@code now}, to a second. */
  private long end(long now) {
    long end = now;
    while (room.isPausing(end)) {
      end += SECOND;
    }
    return end;
  }

  @Test
  void pauseDoublesWithEachRefusalAndHasNoBound() {
    assertThat(room.isPausing(0)).isFalse();
    long now = 0;
    for (int refusal = 0; refusal < 14; refusal++) {
      room.refused(0, now);
      assertThat(end(now) - now).isEqualTo(SECOND << refusal);
      now = end(now);
    }
    assertThat(now).isGreaterThan(4 * 3_600 * SECOND);
  }

  @Test
  void signFromTheRegionMakesItsRefusalsVoid() {
    room.refused(0, 0);
    room.refused(0, 0);
    room.proven(1);
    assertThat(room.isPausing(0)).as("a sign from another region").isTrue();
    assertThat(room.isDoubted()).isTrue();
    room.proven(0);
    assertThat(room.isPausing(0)).isFalse();
    assertThat(room.isDoubted()).isFalse();
    room.refused(0, 0);
    assertThat(end(0)).isEqualTo(SECOND);
  }

  @Test
  void onlyAnEpochThatHasNotServedIsNew() {
    assertThat(room.isNewer(0, 3)).isTrue();
    assertThat(room.isNewer(0, 3)).isFalse();
    assertThat(room.isNewer(0, 2)).isFalse();
    assertThat(room.isNewer(1, 2)).isTrue();
    assertThat(room.isNewer(0, 4)).isTrue();
  }

  /** Each refusal costs every region a mount, also those whose M0 says that there is room. */
  @Test
  void regionThatLetsAWriteThroughNowAndThenDoesNotUseUpAnotherOnesReserve() {
    long now = 0;
    int mounts = 0;
    while (now < 365 * DAY) {
      room.refused(0, now);
      mounts++;
      now = endIn(now);
      room.proven(0);
    }
    assertThat(mounts).isLessThan(RESERVE);
  }

  /** Like {@link #end}, in few steps for long pauses. */
  private long endIn(long now) {
    long step = SECOND;
    while (room.isPausing(now + step)) {
      step *= 2;
    }
    return now + step;
  }
}
