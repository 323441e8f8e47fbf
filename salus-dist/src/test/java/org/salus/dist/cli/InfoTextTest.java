package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.client.VolumeInfo;

class InfoTextTest {
  private static String text(VolumeInfo.Confirmed confirmed) {
    VolumeInfo info =
        new VolumeInfo(
            "disk",
            "9",
            new VolumeInfo.Shape(4096, 4096, false, false, 64 << 20),
            false,
            "healthy",
            "",
            null,
            confirmed,
            List.of(),
            List.of(),
            List.of());
    return InfoText.of(info, "healthy");
  }

  @Test
  void saysWhenTheVolumeWasConfirmedAndWhatWasLostBefore() {
    Instant at = Instant.EPOCH;
    assertThat(text(null)).contains("never: no mount");
    assertThat(text(new VolumeInfo.Confirmed(at, 0)))
        .contains("whole at the mount of 1970-01-01T00:00:00Z")
        .doesNotContain("went back");
    assertThat(text(new VolumeInfo.Confirmed(at, 3)))
        .contains("1970-01-01T00:00:00Z, which went back by 3 changes that a power cut had lost");
  }
}
