package org.salus.regionserver.hdfs;

import org.salus.core.path.FilePath.Kind;

/**
 * Hears that a read found a member's own replica of a file damaged or missing. It must return at
 * once and be thread-safe, and may hear of the same file often.
 */
@FunctionalInterface
public interface Damage {
  /** Ignores every report. */
  Damage UNHEARD = (kind, number) -> {};

  /** Reports the file of this kind and number. */
  void noticed(Kind kind, long number);
}
