package org.salus.core.session;

import java.util.Arrays;

/**
 * What the sessions of one user have found out about room for changes. It outlives each of them.
 *
 * <p>A change that M0 refuses for want of room ends the session, and each region's log then takes
 * one more mount. A log that is at its end has a reserve for a bounded number of mounts. So after a
 * refusal all changes fail for a pause. The pause doubles with each refusal and has no bound: a
 * wrong M0 that says that there is room and refuses each change would else use the reserve up.
 *
 * <p>Two signs show that the reserve of a region's log is untouched ({@link Sign}). They make the
 * region's earlier refusals void. Not thread-safe.
 */
public final class Room {
  /** What may show that a region's log has room besides its reserve for mounts. */
  public enum Sign {
    /** M0 says so. A wrong M0 says what it likes. */
    WORD_OF_M0,
    /** All lanes have committed a PUT there. No PUT is logged in the reserve. */
    COMMITTED_PUT,
    /** A newer epoch serves. Its first segment was created for it, with a reserve of its own. */
    NEW_EPOCH
  }

  /** The pause after the first refusal, in production. */
  public static final long FIRST_PAUSE_NANOS = 1_000_000_000L;

  /**
   * The mounts that a region which has refused nothing takes before it counts too. It may be at the
   * end of its log, and its M0 wrong. It may also be a region to which the user never writes.
   */
  static final int CREDIT = 16;

  /** A pause of more than a hundred years, in production. */
  private static final int MOST_DOUBLINGS = 32;

  private final long firstPause;

  /** The newest epoch of each region that has served. */
  private final int[] epochs;

  /** The refusals in each region since the last sign from there. */
  private final int[] refusals;

  /** The refusals anywhere since the last sign from each region: so many mounts it took. */
  private final int[] mounts;

  /** The time of the last refusal, in nanoseconds. */
  private long refusedAt;

  /**
   * @param regions the number of the volume's regions
   * @param firstPause the pause after the first refusal, in nanoseconds
   */
  public Room(int regions, long firstPause) {
    this.firstPause = firstPause;
    this.epochs = new int[regions];
    this.refusals = new int[regions];
    this.mounts = new int[regions];
  }

  /** M0 of a region has refused a change of a session that has mounted the volume. */
  void refused(int region, long now) {
    refusals[region]++;
    Arrays.setAll(mounts, r -> mounts[r] + 1);
    refusedAt = now;
  }

  /** A sign shows that the reserve of the region's log is untouched. */
  void proven(int region) {
    refusals[region] = 0;
    mounts[region] = 0;
  }

  /** Notes that an epoch of a region serves. Returns whether it is newer than those before. */
  boolean isNewer(int region, int epoch) {
    boolean newer = epoch > epochs[region];
    epochs[region] = Math.max(epochs[region], epoch);
    return newer;
  }

  /** Whether a region has refused a change, and no sign has come from there since. */
  boolean isDoubted() {
    return Arrays.stream(refusals).anyMatch(n -> n > 0);
  }

  /** Whether changes fail at {@code now}, in nanoseconds, whatever the servers say. */
  public boolean isPausing(long now) {
    return now - refusedAt < pause();
  }

  private long pause() {
    int times = 0;
    for (int r = 0; r < refusals.length; r++) {
      times = Math.max(times, Math.max(refusals[r], mounts[r] - CREDIT));
    }
    return times == 0 ? 0 : firstPause << Math.min(times - 1, MOST_DOUBLINGS);
  }
}
