package org.salus.core;

/** A party of the protocol; the host knows how to reach it. */
public sealed interface Endpoint {

  /**
   * The member that acts in a lane of a region's current RRS; lane 0 is that of M0, the primary.
   */
  record Member(RegionId region, int lane) implements Endpoint {}

  /** The session that mounted a volume for writing under this epoch. */
  record Session(long volume, long mountEpoch) implements Endpoint {}
}
