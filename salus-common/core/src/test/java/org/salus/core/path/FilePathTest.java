package org.salus.core.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.salus.core.VolumeSpec;
import org.salus.core.path.FilePath.Kind;

class FilePathTest {
  private static final VolumeSpec SPEC =
      new VolumeSpec("disk", 1, 4096, 1000, 2, false, VolumeSpec.MIN_SEGMENT);
  private static final String DIRECTORY = "/salus/disk-0000000000000001/0001/";

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 99_999_999, 100_000_000, FilePath.MOST})
  void aFilesPathNamesTheFile(long number) {
    for (Kind kind : Kind.values()) {
      String path = FilePath.of(SPEC, 1, kind, number);
      assertThat(FilePath.parse(path))
          .isEqualTo(new FilePath("disk", SPEC.regionId(1), kind, number));
      assertThat(kind.number(path.substring(DIRECTORY.length()))).isEqualTo(number);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "log-2147483648", // the first that the index cannot hold
        "log-4294967296",
        "log-999999999999999999",
        "log-99999999999999999999",
        "log-000000001", // another name of log-00000001
        "log-0000001",
        "log-",
        "log-00000001/x"
      })
  void whatIsNoNumberOrAnotherNameOfOneNamesNoFile(String name) {
    assertThat(FilePath.parse(DIRECTORY + name)).isNull();
    assertThat(Kind.LOG.number(name)).isEqualTo(-1);
  }

  @Test
  void aRegionHasOneDirectory() {
    assertThat(FilePath.parse("/salus/disk-0000000000000001/00001/log-00000001")).isNull();
    assertThat(FilePath.parse("/salus/disk-0000000000000001/99999999999/log-00000001")).isNull();
  }

  @Test
  void noPathIsMadeForANumberOutOfRange() {
    assertThatThrownBy(() -> FilePath.of(SPEC, 1, Kind.LOG, FilePath.MOST + 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
