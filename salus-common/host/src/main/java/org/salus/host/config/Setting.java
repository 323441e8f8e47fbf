package org.salus.host.config;

import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One setting. Immutable.
 *
 * @param key the full key
 * @param fallback the default, as a user would write it
 * @param type how values are written, for the documentation
 * @param parser reads a value; throws IllegalArgumentException when it is invalid
 * @param range the allowed values, in words
 * @param allowed whether a value is in the range
 * @param doc what the setting does, in one to three sentences
 */
public record Setting<T>(
    String key,
    String fallback,
    String type,
    Function<String, T> parser,
    String range,
    Predicate<T> allowed,
    String doc) {
  private static final Pattern NUMBER_UNIT = Pattern.compile("(\\d{1,15}) ?([a-z]*)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1000L, "m", 60_000L, "min", 60_000L, "h", 3_600_000L);
  private static final Map<String, Long> BYTES =
      Map.of("", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30, "t", 1L << 40);

  /** A setting whose value is any text. */
  public static Setting<String> text(String key, String fallback, String doc) {
    return new Setting<>(key, fallback, "text", value -> value, "any", value -> true, doc);
  }

  /**
   * A whole number from {@code min} to {@code max}. The word {@code cores} means the number of the
   * machine's cores.
   */
  public static Setting<Integer> count(String key, String fallback, int min, int max, String doc) {
    return new Setting<>(
        key,
        fallback,
        "number",
        Setting::parseCount,
        min + " to " + max,
        value -> value >= min && value <= max,
        doc);
  }

  /** A setting whose value is a time of at least {@code min}, such as 300ms, 1s, 5min or 2h. */
  public static Setting<Duration> duration(String key, String fallback, Duration min, String doc) {
    return new Setting<>(
        key,
        fallback,
        "time (ms, s, min, h)",
        value -> Duration.ofMillis(scaled(value, MILLIS)),
        "at least " + min.toMillis() + "ms",
        value -> value.compareTo(min) >= 0,
        doc);
  }

  /** A setting whose value is a size of at least {@code min} bytes, such as 4096, 64k, 1m or 2g. */
  public static Setting<Long> size(String key, String fallback, long min, String doc) {
    return new Setting<>(
        key,
        fallback,
        "size (k, m, g, t)",
        value -> scaled(value, BYTES),
        "at least " + min + " bytes",
        value -> value >= min,
        doc);
  }

  /** A setting that is {@code true} or {@code false}. */
  public static Setting<Boolean> flag(String key, String fallback, String doc) {
    return new Setting<>(
        key, fallback, "true or false", Setting::parseFlag, "true or false", value -> true, doc);
  }

  /**
   * Reads this setting's value from {@code values}, or its default when it is absent.
   *
   * @throws IllegalArgumentException when the value is invalid, with a one-line message
   */
  public T read(Map<String, String> values) {
    String text = values.getOrDefault(key, fallback).trim();
    T value;
    try {
      value = parser.apply(text);
    } catch (IllegalArgumentException | ArithmeticException nonsense) {
      throw new IllegalArgumentException(key + ": '" + text + "' is not a " + type, nonsense);
    }
    if (!allowed.test(value)) {
      throw new IllegalArgumentException(key + ": '" + text + "' is out of range: " + range);
    }
    return value;
  }

  private static Integer parseCount(String text) {
    return text.equals("cores")
        ? Integer.valueOf(Runtime.getRuntime().availableProcessors())
        : Integer.valueOf(text);
  }

  private static Boolean parseFlag(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private static long scaled(String text, Map<String, Long> units) {
    Matcher matcher = NUMBER_UNIT.matcher(text);
    if (!matcher.matches() || !units.containsKey(matcher.group(2))) {
      throw new IllegalArgumentException(text);
    }
    return Math.multiplyExact(Long.parseLong(matcher.group(1)), units.get(matcher.group(2)));
  }
}
