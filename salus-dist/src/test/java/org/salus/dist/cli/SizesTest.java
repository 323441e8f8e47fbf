package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizesTest {
  private static final String[] BINARY = {"", "K", "M", "G", "T"};

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "512B, 512",
    "64K, 65536",
    "64k, 65536",
    "64KiB, 65536",
    "64kib, 65536",
    "64KB, 64000",
    "64kb, 64000",
    "1.5G, 1610612736",
    "1GiB, 1073741824",
    "500MB, 500000000",
    "0.5K, 512",
    "1.25KB, 1250",
    "8G, 8589934592",
    "1T, 1099511627776",
    "1TB, 1000000000000",
    "16TiB, 17592186044416",
    "1.0, 1"
  })
  void readsWhatPeopleWrite(String text, long bytes) {
    assertThat(Sizes.parse(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | is not a size",
        "G | is not a size",
        "-1 | is not a size",
        "+1 | is not a size",
        ".5G | is not a size",
        "1.G | is not a size",
        "1,5G | is not a size",
        "8 G | is not a size",
        "8iB | is not a size",
        "8Gi | is not a size",
        "8GBB | is not a size",
        "8P | is not a size",
        "1e3 | is not a size",
        "0x10 | is not a size",
        "1.5 | not a whole number of bytes",
        "1.0001K | not a whole number of bytes",
        "99999999T | too large",
        "9999999999999999G | too large"
      })
  void refusesTheRestWithOneLine(String text, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sizes.parse(text))
        .satisfies(
            refused ->
                assertThat(refused.getMessage())
                    .contains("'" + text + "'", why)
                    .doesNotContain("\n"));
  }

  @Property
  void readsBackWhatItPrints(@ForAll @LongRange(max = 999_999_999_999_999_999L) long bytes) {
    assertThat(Sizes.parse(Sizes.format(bytes))).isEqualTo(bytes);
  }

  @Property
  void aUnitIsAPowerOf1024OrWithBAloneOf1000(
      @ForAll @IntRange(max = 1_000_000) int number,
      @ForAll @IntRange(min = 1, max = 4) int power) {
    long binary = BigInteger.valueOf(1024).pow(power).longValue();
    long decimal = BigInteger.valueOf(1000).pow(power).longValue();
    assertThat(Sizes.parse(number + BINARY[power])).isEqualTo(number * binary);
    assertThat(Sizes.parse(number + BINARY[power] + "iB")).isEqualTo(number * binary);
    assertThat(Sizes.parse(number + BINARY[power] + "B")).isEqualTo(number * decimal);
  }

  @Property
  void aQuarterIsExactInEveryBinaryUnit(
      @ForAll @IntRange(max = 1_000) int quarters, @ForAll @IntRange(min = 1, max = 4) int power) {
    String text = quarters / 4 + "." + String.format("%02d", quarters % 4 * 25) + BINARY[power];
    assertThat(Sizes.parse(text)).isEqualTo(quarters * (1L << 10 * power) / 4);
  }
}
