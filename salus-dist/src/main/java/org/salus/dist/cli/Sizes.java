package org.salus.dist.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as users write them: bytes, or with one of K, M, G, T (powers of 1024). */
final class Sizes {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([KMGT]?)");
  private static final String UNITS = "KMGT";

  private Sizes() {}

  /** Bytes; IllegalArgumentException with a one-line message when it is no size or does not fit. */
  static long parse(String text) {
    Matcher matcher = SIZE.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size; write for example 4096, 64K, 8G or 1T");
    }
    int unit = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * unit));
    } catch (ArithmeticException tooLarge) {
      throw new IllegalArgumentException("'" + text + "' is too large a size", tooLarge);
    }
  }

  /** The shortest way to write it that is exact. */
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
