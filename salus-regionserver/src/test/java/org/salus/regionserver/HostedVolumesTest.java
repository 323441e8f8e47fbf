package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.VolumeSpec;

class HostedVolumesTest {
  private final VolumeSpec spec = new VolumeSpec("disk", 79, 4096, 4096, 2, false, 1 << 20);
  private final HostedVolumes volumes = new HostedVolumes();

  @Test
  void volumeThatComesAfterTheEndIsNotStarted() {
    volumes.close();
    volumes.add(new HostedVolume(spec, null));
    assertThat(volumes.has("disk")).isFalse();
  }

  @Test
  void serverOfAMemberOfAnUnknownVolumeIsUnknown() {
    assertThat(volumes.nodeOf(new Endpoint.Member(spec.regionId(0), 1))).isNull();
  }
}
