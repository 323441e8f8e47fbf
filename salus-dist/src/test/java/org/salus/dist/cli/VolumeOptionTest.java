package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VolumeOptionTest {
  @ParameterizedTest
  @CsvSource({
    "disk0:8G:4K, disk0, 8589934592, 4096",
    "disk0:8G, disk0, 8589934592, 4096",
    "a:4096, a, 4096, 4096",
    "a.b_c-9:16t:256k, a.b_c-9, 17592186044416, 262144",
    "0:1m:65536, 0, 1048576, 65536",
    "disk0:8GB, disk0, 8000000000, 4096",
    "disk0:8.5G, disk0, 9126805504, 4096",
    "disk0:8GiB:4KiB, disk0, 8589934592, 4096",
    "disk0:500MB, disk0, 500002816, 4096",
    "disk0:5KB, disk0, 8192, 4096",
    "disk0:16.5K:16K, disk0, 32768, 16384"
  })
  void readsWhatIsMeant(String text, String name, long size, int block) {
    assertThat(VolumeOption.parse(text)).isEqualTo(new VolumeOption(name, size, block));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "disk0 | NAME:SIZE",
        "disk0:8G:4K:1 | NAME:SIZE",
        "'' | NAME:SIZE",
        "disk0:0 | size 0: use 4K to 16T",
        "disk0:0G | size 0: use 4K to 16T",
        "disk0:-1 | '-1' is not a size",
        "disk0: | '' is not a size",
        "disk0:eight | 'eight' is not a size",
        "disk0:8GX | '8GX' is not a size",
        "disk0:1.00001G | not a whole number of bytes",
        "disk0:4KB | size 4000: use 4K to 16T",
        "disk0:17.7TB | use 4K to 16T",
        "disk0:17T | size 17T: use 4K to 16T",
        "disk0:17592186048512 | use 4K to 16T",
        "disk0:99999999T | too large",
        "disk0:999999999999999999999 | is not a size",
        "disk0:5000 | multiple of the block size 4K",
        "disk0:8G:5000 | block size 5000: use a power of two from 4K to 256K",
        "disk0:8G:2K | block size 2K: use a power of two",
        "disk0:8G:512K | block size 512K: use a power of two",
        "disk0:8G:4T | use a power of two from 4K to 256K",
        "disk0:8G:0 | block size 0: use a power of two",
        "disk0:8G:4KB | block size 4000: use a power of two",
        "disk0:64K:128K | size 64K: use 128K to 16T",
        ":8G | volume name ''",
        "a b:8G | volume name 'a b'",
        "a/b:8G | volume name 'a/b'",
        "../x:8G | volume name '../x'",
        "-x:8G | volume name '-x'",
        "dïsk:8G | volume name 'dïsk'",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:8G | use 1 to 64 letters"
      })
  void refusesWithOneLineThatSaysWhatToWrite(String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VolumeOption.parse(text))
        .satisfies(
            refused -> assertThat(refused.getMessage()).contains(message).doesNotContain("\n"));
  }

  @Test
  void readsBackWhatItPrints() {
    VolumeOption option = VolumeOption.parse("disk0:1536M:64K");
    assertThat(option).hasToString("disk0:1536M:64K");
    assertThat(VolumeOption.parse(option.toString())).isEqualTo(option);
  }
}
