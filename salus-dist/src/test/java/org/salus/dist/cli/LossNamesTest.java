package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.client.VolumeInfo.Loss;

/** A user accepts the losses that he has seen, as they were then. */
class LossNamesTest {
  private static final Loss BY_MOUNT = new Loss(Instant.EPOCH, "bob@host2", 7, 40, 42, false);
  private static final Loss BY_HANDLE = new Loss(Instant.EPOCH, "bob@host2", 7, 40, 42, true);

  @Test
  void lossesAreFoundByTheNamesThatInfoShows() throws Exception {
    List<Loss> noted = List.of(BY_MOUNT, BY_HANDLE);
    assertThat(LossNames.find("disk", List.of("mount7:40-42"), noted)).containsExactly(BY_MOUNT);
    assertThat(LossNames.find("disk", List.of("open7:40-42", "mount7:40-42"), noted))
        .containsExactly(BY_HANDLE, BY_MOUNT);
  }

  @Test
  void lossOfWhichMoreIsKnownByNowIsRefused() {
    Loss worse = new Loss(Instant.EPOCH, "bob@host2", 7, 40, 45, false);
    assertThatThrownBy(() -> LossNames.find("disk", List.of(BY_MOUNT.id()), List.of(worse)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "volume disk has no loss mount7:40-42; noted are now mount7:40-45: see 'salus volume"
                + " info disk'");
    assertThatThrownBy(() -> LossNames.find("disk", List.of("x"), List.of()))
        .hasMessage("volume disk has no loss x: nothing that it has lost is left to accept");
  }

  @Test
  void whatIsLeftIsTold() {
    assertThat(LossNames.words("disk", List.of(BY_MOUNT), List.of()))
        .isEqualTo("accepted what volume disk has lost: PUTs 41 to 42");
    assertThat(LossNames.words("disk", List.of(BY_MOUNT), List.of(BY_HANDLE)))
        .endsWith("; still to accept are open7:40-42: see 'salus volume info disk'");
  }
}
