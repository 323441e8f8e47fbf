package org.salus.dist.need;

import java.util.List;

/**
 * A setting that Salus needs of a daemon. Immutable.
 *
 * @param key the name of the setting
 * @param must what its value must be
 * @param value the value that it must have, or that is usual
 * @param fallback the value of a daemon that does not set it
 * @param stops whether volumes stop or are endangered if the need is not met
 * @param without what is so if the need is not met
 */
public record Need(
    Role role,
    String key,
    Must must,
    String value,
    String fallback,
    boolean stops,
    String without) {
  /** What a value must be. */
  public enum Must {
    /** Any value; the one of the need is usual. */
    BE_SET {
      @Override
      boolean holds(String value, String needed) {
        return !value.isEmpty();
      }
    },
    BE {
      @Override
      boolean holds(String value, String needed) {
        return value.equalsIgnoreCase(needed);
      }
    },
    /** A number that is not less. */
    BE_AT_LEAST {
      @Override
      boolean holds(String value, String needed) {
        return value.matches("[0-9]{1,18}") && Long.parseLong(value) >= Long.parseLong(needed);
      }
    },
    /** The list has this and perhaps more. */
    NAME {
      @Override
      boolean holds(String value, String needed) {
        return list(value).contains(needed);
      }
    },
    /** Absent or this. */
    NOT_DIFFER_FROM {
      @Override
      boolean holds(String value, String needed) {
        return value.isEmpty() || value.equalsIgnoreCase(needed);
      }
    };

    abstract boolean holds(String value, String needed);
  }

  /**
   * Whether a value meets the need.
   *
   * @param set the value of the daemon's own setting; empty if it has none
   */
  public boolean isMetBy(String set) {
    return must.holds(set.isEmpty() ? fallback : set.strip(), value);
  }

  /**
   * The parts of a setting that is a list, as Hadoop takes them: also line breaks part them, and an
   * empty part counts unless only empty ones follow.
   */
  public static List<String> list(String value) {
    return value.isBlank() ? List.of() : List.of(value.strip().split("\\s*[,\n]\\s*"));
  }

  /** The same need with another value. */
  public Need with(String other) {
    return new Need(role, key, must, other, fallback, stops, without);
  }
}
