package org.salus.core.path;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;

class SpecNameTest {
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk-1", 0xfedcba9876543210L, 8192, 123_456, 7, true, 64 << 20, true);
  private static final VolumePath VOLUME = new VolumePath(SPEC.name(), SPEC.id());

  private final Signer signer = new Signer(new byte[] {1, 2});

  private String name() {
    return SpecName.path(SPEC, signer).substring(VOLUME.path().length() + 1);
  }

  @Test
  void aShapeComesBackAsItWas() {
    assertThat(SpecName.path(SPEC, signer))
        .startsWith(VOLUME.path() + "/spec-4-8192-123456-7-synced-strict-67108864-");
    assertThat(SpecName.parse(VOLUME, name(), signer)).isEqualTo(SPEC);
    assertThat(SpecName.format(name())).isEqualTo(SpecName.FORMAT);
    VolumeSpec plain = new VolumeSpec(SPEC.name(), SPEC.id(), 4096, 10, 1, false, 64 << 20);
    String other = SpecName.path(plain, signer).substring(VOLUME.path().length() + 1);
    assertThat(other).startsWith("spec-4-4096-10-1-replicated-67108864-");
    assertThat(SpecName.parse(VOLUME, other, signer)).isEqualTo(plain);
  }

  @Test
  void whatWasNotSignedForThisVolumeIsNone() {
    assertThat(SpecName.parse(VOLUME, name().replace("-7-", "-8-"), signer)).isNull();
    assertThat(SpecName.parse(VOLUME, name().replace("spec-4-", "spec-5-"), signer)).isNull();
    assertThat(SpecName.parse(VOLUME, name().replace("-strict", ""), signer)).isNull();
    assertThat(SpecName.parse(new VolumePath("disk-2", SPEC.id()), name(), signer)).isNull();
    assertThat(SpecName.parse(new VolumePath(SPEC.name(), 1), name(), signer)).isNull();
    assertThat(SpecName.parse(VOLUME, name(), new Signer(new byte[0]))).isNull();
    assertThat(SpecName.parse(VOLUME, "0000", signer)).isNull();
  }

  @Test
  void anotherFormatIsToldWhateverItsFields() {
    assertThat(SpecName.format("spec-2-whatever-comes-" + "0".repeat(32))).isEqualTo(2);
    assertThat(SpecName.format("spec-0-whatever-came-" + "0".repeat(32))).isZero();
    assertThat(SpecName.format("0000")).isEqualTo(-1);
    assertThat(SpecName.format("spec-x")).isEqualTo(-1);
  }
}
