package org.salus.regionserver.hdfs;

import org.salus.core.log.FilePath.Kind;

/**
 * Told when a read finds a member's own replica of a file damaged or missing; returns at once. May
 * be told often.
 */
@FunctionalInterface
public interface Damage {
  /** Nobody is told. */
  Damage UNHEARD = (kind, number) -> {};

  void noticed(Kind kind, long number);
}
