package org.salus.dist.cli;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses and formats sizes: a number of bytes, or a number with a unit. K, M, G, T and KiB, MiB,
 * GiB, TiB are powers of 1024. KB, MB, GB, TB are powers of 1000. Case does not matter.
 * Thread-safe.
 */
final class Sizes {
  /** Explains sizes in the help of every command that takes one. */
  static final String HELP =
      "A size is a number of bytes, or a number with a unit. Units are K, M, G, T or KiB, MiB, GiB, TiB (powers of 1024) and KB, MB, GB, TB (powers of 1000). Examples: 8G, 1.5G, 500MB, 64KiB.";

  private static final Pattern SIZE =
      Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,18})?)(?:([KMGT])(I?B)?|B)?");
  private static final String UNITS = "KMGT";

  private Sizes() {}

  /**
   * Parses a size to bytes.
   *
   * @throws IllegalArgumentException when it is no size, too large, or no whole number of bytes;
   *     with a one-line message
   */
  static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size; write for example 4096, 64K, 1.5G, 500MB or 1TiB");
    }
    int power = matcher.group(2) == null ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
    BigDecimal unit = BigDecimal.valueOf("B".equals(matcher.group(3)) ? 1000 : 1024).pow(power);
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(unit);
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("'" + text + "' is too large a size");
    }
    try {
      return bytes.longValueExact();
    } catch (ArithmeticException fraction) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a whole number of bytes; write fewer digits", fraction);
    }
  }

  /** Whether a size is written with a unit, so that it may be rounded. */
  static boolean hasUnit(String text) {
    return !text.isEmpty() && !Character.isDigit(text.charAt(text.length() - 1));
  }

  /** The shortest exact form of a size, for example {@code 64K}. */
  static String format(long bytes) {
    int unit = 0;
    long value = bytes;
    while (unit < UNITS.length() && value != 0 && value % 1024 == 0) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? Long.toString(value) : value + UNITS.substring(unit - 1, unit);
  }
}
