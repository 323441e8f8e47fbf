package org.salus.core.mount;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RoomTest {
  private static final long SECOND = 1_000_000_000L;

  private final Room room = new Room();

  @Test
  void changesAreRefusedForAPauseThatIsLongerTheNextTime() {
    assertThat(room.isFull(0)).isFalse();
    room.ranOut(0);
    assertThat(room.isFull(SECOND - 1)).isTrue();
    assertThat(room.isFull(SECOND)).isFalse();
    room.ranOut(SECOND);
    assertThat(room.isFull(3 * SECOND - 1)).isTrue();
    assertThat(room.isFull(3 * SECOND)).isFalse();
  }

  @Test
  void roomThatIsFoundShortensThePauseAgain() {
    room.ranOut(0);
    room.found();
    assertThat(room.isFull(0)).isFalse();
    assertThat(room.nextPause()).isEqualTo(SECOND);
  }

  @Test
  void acknowledgedChangeDoesNotShortenThePauseWhenThereWasRoomAllTheTime() {
    room.nextPause();
    room.found();
    assertThat(room.nextPause()).isEqualTo(2 * SECOND);
  }
}
