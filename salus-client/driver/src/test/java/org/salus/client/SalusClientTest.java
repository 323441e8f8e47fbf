package org.salus.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SalusClientTest {
  @Test
  void aVolumeThatIsMadeButDoesNotServeIsToldWithTheWayToRemoveIt() {
    SalusException.Unavailable late =
        new SalusException.Unavailable("volume disk does not serve yet: why", null);
    Runnable wait =
        () -> {
          throw late;
        };
    assertThatThrownBy(() -> SalusClient.awaitMade("disk", wait))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasCause(late)
        .hasMessage(
            "volume disk does not serve yet: why; the volume exists, and serves as soon as three"
                + " servers can hold it: 'salus volume delete disk' removes it");
  }
}
