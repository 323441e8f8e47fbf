package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.salus.host.zk.ClusterStoreException;

class SalusClientTest {
  @Test
  void aVolumeThatIsMadeButDoesNotServeIsToldWithTheWayToRemoveIt() {
    SalusException.Unavailable late =
        new SalusException.Unavailable("volume disk does not serve yet: why", null);
    Runnable wait =
        () -> {
          throw late;
        };
    assertThatThrownBy(() -> SalusClient.awaitMade(wait))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasCause(late)
        .hasMessage(
            "volume disk does not serve yet: why; the volume exists, and serves as soon as three"
                + " servers can hold it; SalusClient.delete removes it");
  }

  /** Curator answers so once it is closed, and so does a bug. */
  @Test
  void onlyAClosedClientIsToldThatItIsClosed() {
    SalusClient.Call<Void> call =
        () -> {
          throw new IllegalStateException("planted");
        };
    assertThatThrownBy(() -> SalusClient.typed(() -> true, "disk", call))
        .isInstanceOf(SalusException.Closed.class);
    assertThatThrownBy(() -> SalusClient.typed(() -> false, "disk", call))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("planted");
  }

  /** Programs have no command line; bin/salus puts its own words in. */
  @Test
  void messagesSpeakOfTheApi() {
    SalusClient.Call<Void> missing =
        () -> {
          throw new ClusterStoreException.Missing("volume disk");
        };
    assertThatThrownBy(() -> SalusClient.typed(() -> false, "disk", missing))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessage("there is no volume disk; SalusClient.list names those there are");
    assertThat(new SalusException.Busy("disk", "somebody", Instant.EPOCH))
        .hasMessageEndingWith("close it there, or open it with force to take it over");
  }

  @Test
  void volumeWhoseRecordCannotBeReadIsListedWithTheReason() {
    List<ClusterStoreException> unreadable =
        List.of(
            new ClusterStoreException.Format("volume disk", 99),
            new ClusterStoreException("cannot read or write volume disk: junk", null));
    for (ClusterStoreException why : unreadable) {
      VolumeInfo listed = listed(why).orElseThrow();
      assertThat(listed.name()).isEqualTo("disk");
      assertThat(listed.health()).isEqualTo("unavailable");
      assertThat(listed.why()).isEqualTo(why.getMessage());
      assertThat(listed.serving()).isFalse();
    }
    assertThat(listed(new ClusterStoreException.Missing("volume disk"))).isEmpty();
    assertThatThrownBy(() -> listed(new ClusterStoreException.Unreachable("no answer", null)))
        .isInstanceOf(SalusException.Unavailable.class);
  }

  private static Optional<VolumeInfo> listed(ClusterStoreException why) {
    SalusClient.Call<VolumeInfo> look =
        () -> {
          throw why;
        };
    return SalusClient.present("disk", name -> SalusClient.typed(() -> false, name, look));
  }

  @Test
  void quorumThatCannotBeIsRefusedAtOnce() {
    for (String wrong : List.of("host:abc", "host:0", "")) {
      assertThatThrownBy(() -> SalusClient.connect(Map.of("salus.zookeeper.quorum", wrong)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("salus.zookeeper.quorum")
          .hasMessageContaining("a host and a port from 1 to 65535");
    }
  }
}
