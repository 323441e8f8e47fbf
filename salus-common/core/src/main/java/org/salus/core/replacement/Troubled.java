package org.salus.core.replacement;

import java.util.Map;
import java.util.TreeMap;

/**
 * The servers that broke an epoch of a volume lately. They are not asked to join another. Not
 * thread-safe.
 */
public final class Troubled {
  /** The time for which a server that broke an epoch is not asked, in nanoseconds. */
  static final long NANOS = 30_000_000_000L;

  private final Map<String, Long> since = new TreeMap<>();

  /**
   * Notes that a server broke an epoch.
   *
   * @param now the time in nanoseconds
   */
  void add(String node, long now) {
    since.put(node, now);
  }

  /**
   * Whether a server broke an epoch lately.
   *
   * @param now the time in nanoseconds
   */
  boolean has(String node, long now) {
    Long then = since.get(node);
    return then != null && now - then < NANOS;
  }
}
