package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterRecord;

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
            "volume disk does not serve yet: why; the volume exists, and serves as soon as"
                + " that is over; SalusClient.delete removes it");
  }

  /** Curator answers so once it is closed, and so does a bug. */
  @Test
  void onlyAClosedClientIsToldThatItIsClosed() {
    StoreFailures.Call<Void> call =
        () -> {
          throw new IllegalStateException("planted");
        };
    assertThatThrownBy(() -> StoreFailures.typed(() -> true, "disk", call))
        .isInstanceOf(SalusException.Closed.class);
    assertThatThrownBy(() -> StoreFailures.typed(() -> false, "disk", call))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("planted");
  }

  /** Programs have no command line; bin/salus puts its own words in. */
  @Test
  void messagesSpeakOfTheApi() {
    StoreFailures.Call<Void> missing =
        () -> {
          throw new ClusterStoreException.Missing("volume disk");
        };
    assertThatThrownBy(() -> StoreFailures.typed(() -> false, "disk", missing))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessage("there is no volume disk; SalusClient.list names those there are");
    assertThat(new SalusException.Busy("disk", "somebody", Instant.EPOCH))
        .hasMessageEndingWith("close it there, or open it with force to take it over");
  }

  @Test
  void unknownHostIsNamedAtOnce() {
    assertThatThrownBy(
            () -> SalusClient.connect(Map.of("salus.zookeeper.quorum", "nohost.invalid:2181")))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessage("unknown host nohost.invalid; check salus.zookeeper.quorum");
  }

  @Test
  void nullConfigurationIsNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> SalusClient.connect(null))
        .withMessage("configuration");
  }

  @Test
  void patienceIsForOtherClientsOnly() {
    AtomicInteger tries = new AtomicInteger();
    assertThatThrownBy(
            () ->
                SalusClient.patiently(
                    Duration.ofMinutes(5),
                    () -> {
                      throw tries.incrementAndGet() < 3
                          ? new SalusException.Busy("disk", "other", Instant.EPOCH)
                          : SalusException.Busy.inThisClient("disk", "me", Instant.EPOCH);
                    }))
        .isInstanceOf(SalusException.Busy.class)
        .hasMessage(
            "volume disk is open in this client since 1970-01-01T00:00:00Z; use that handle, or"
                + " close it first");
    assertThat(tries).hasValue(3);
  }

  @Test
  void shapeThatNoVolumeCanHaveIsToldInBytes() {
    refused(1 << 20, 5000, "block size 5000: use a power of two from 4K to 256K");
    refused(1L << 50, 4096, "size 1125899906842624: use 4096 to 17592186044416 bytes (16 TiB)");
    refused(0, 4096, "size 0: use 4096 to 17592186044416 bytes (16 TiB)");
    refused(-4096, 4096, "size -4096: use 4096 to 17592186044416 bytes (16 TiB)");
    refused(5000, 4096, "size 5000: use a multiple of the block size 4096");
    VolumeAdmin.requireShape("disk", 1L << 44, 4096);
  }

  private static void refused(long size, int block, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VolumeAdmin.requireShape("disk", size, block))
        .withMessage(message);
  }

  @Test
  void whoDeletesAVolumeThatIsOpenIsToldHow() {
    StoreFailures.Call<Void> begin =
        () -> {
          throw new ClusterStoreException.Busy(
              "disk", new WriterRecord("somebody", 0, 1, "", 1, "id", false, 0, ""));
        };
    assertThatThrownBy(() -> VolumeAdmin.toDelete("disk", begin))
        .isInstanceOf(SalusException.Busy.class)
        .hasMessage(
            "volume disk is mounted by somebody since 1970-01-01T00:00:00Z; close it there, or"
                + " delete it with force");
  }

  @Test
  void handleThatHasLostTheVolumeSaysWhatToDo() {
    assertThat(SessionFailures.fenced("disk"))
        .hasMessage(
            "volume disk was taken over by another writer, and this handle is over; open the"
                + " volume again to go on, with force if the other writer still has it");
    assertThat(SessionFailures.leaseLost("disk"))
        .hasMessageEndingWith("mounts the volume again by itself: read, or write again");
    assertThat(SessionFailures.overtaken("disk"))
        .hasMessageEndingWith("this handle is over; open the volume again to go on");
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

  @Test
  void volumeWithJunkInARecordIsListedWithTheReason() {
    VolumeInfo listed =
        Inspection.present(
                "disk",
                name -> {
                  throw new NullPointerException("path");
                })
            .orElseThrow();
    assertThat(listed.health()).isEqualTo("unavailable");
    assertThat(listed.why()).startsWith("a record cannot be read: ").contains("path");
    assertThatThrownBy(
            () ->
                Inspection.present(
                    "disk",
                    name -> {
                      throw StoreFailures.closed();
                    }))
        .isInstanceOf(SalusException.Closed.class);
  }

  private static Optional<VolumeInfo> listed(ClusterStoreException why) {
    StoreFailures.Call<VolumeInfo> look =
        () -> {
          throw why;
        };
    return Inspection.present("disk", name -> StoreFailures.typed(() -> false, name, look));
  }

  @Test
  void quorumThatCannotBeIsRefusedAtOnce() {
    for (String wrong : List.of("host", "host:abc", "host:0", "")) {
      assertThatThrownBy(() -> SalusClient.connect(Map.of("salus.zookeeper.quorum", wrong)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("salus.zookeeper.quorum")
          .hasMessageContaining("a host and a port from 1 to 65535");
    }
  }
}
