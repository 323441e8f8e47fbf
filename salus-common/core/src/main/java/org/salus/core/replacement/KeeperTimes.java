package org.salus.core.replacement;

/**
 * How long the keeper of a region ({@link RegionKeeper}) waits, in nanoseconds.
 *
 * @param pause the shortest time between two epochs. It doubles for each epoch that did not serve,
 *     up to {@link #MOST_DOUBLINGS} times.
 * @param opening the time in which an epoch must open, because reading a log takes seconds. It
 *     doubles like {@code pause}.
 * @param join the time after an epoch's opening in which no server joins. A joiner stops writes
 *     again, so the members first do the writes that have waited.
 * @param ready the time that a server gets to get ready. After it, the server joins as it is.
 * @param rebuild the time without a holder after which others build the region from the holders'
 *     DataNodes. A holder that comes back has nothing to copy.
 * @param proof the time without an epoch that serves after which one may serve though holders are
 *     away and no user has said that nothing is missing. A user who lives speaks at once, and one
 *     who says nothing for so long has lost the volume.
 */
public record KeeperTimes(
    long pause, long opening, long join, long ready, long rebuild, long proof) {
  static final long SECOND = 1_000_000_000L;

  static final int MOST_DOUBLINGS = 3;

  /** What production waits. */
  public static final KeeperTimes USUAL =
      new KeeperTimes(SECOND, 30 * SECOND, 5 * SECOND, 60 * SECOND, 15 * SECOND, 15 * SECOND);
}
