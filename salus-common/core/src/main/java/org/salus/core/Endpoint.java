package org.salus.core;

/** A party of the protocol; the host knows how to reach it. */
public sealed interface Endpoint {

  /** Member number {@code lane} in chain order of a region's current RRS; 0 is the primary. */
  record Member(RegionId region, int lane) implements Endpoint {}

  /** The session that mounted a volume for writing under this epoch. */
  record Session(long volume, long mountEpoch) implements Endpoint {}
}
