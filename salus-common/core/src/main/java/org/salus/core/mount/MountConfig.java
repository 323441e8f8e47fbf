package org.salus.core.mount;

/**
 * The times of leases, in nanoseconds. All clients of a cluster must have the same.
 *
 * @param leaseNanos how long a confirmed claim is good for reads, by the reader's own clock
 * @param confirmNanos the time between two confirmations
 * @param waitNanos how long a writer waits for an earlier writer's lease, by its own clock. It is
 *     longer than the lease by as much as the rates of two clocks differ
 * @param acceptsLoss whether the user goes on when a mount lacks what was acknowledged
 * @param withoutUser whether the volume is mounted only to settle what a writer has left
 */
public record MountConfig(
    long leaseNanos, long confirmNanos, long waitNanos, boolean acceptsLoss, boolean withoutUser) {
  private static final long SECOND = 1_000_000_000L;

  /**
   * How long a client's library takes at most from the end of its patience with one server of
   * ZooKeeper until another one has answered.
   */
  private static final long MOVE_NANOS = 2 * SECOND;

  /** A lease of 10 s, confirmed every 2 s; clocks' rates differ by at most 2 %. */
  public static MountConfig defaults() {
    return of(10 * SECOND);
  }

  /** A lease of this length, confirmed five times in it. */
  public static MountConfig of(long leaseNanos) {
    return new MountConfig(leaseNanos, leaseNanos / 5, leaseNanos + leaseNanos / 50, false, false);
  }

  /**
   * The timeout of the client's session in ZooKeeper. The library gives up a silent server after
   * two thirds of it. By then the last confirmation may be as old as {@code confirmNanos}. Another
   * server can still confirm the claim before the lease ends, so that one silent server of several
   * stops no reads. It is 9 s for a lease of 10 s.
   */
  public long sessionNanos() {
    return (leaseNanos - confirmNanos - MOVE_NANOS) / 2 * 3;
  }

  /** These times, for a user who accepts a loss, or not. */
  public MountConfig acceptingLoss(boolean accepts) {
    return new MountConfig(leaseNanos, confirmNanos, waitNanos, accepts, withoutUser);
  }

  /** These times, for a mount that nobody uses. */
  public MountConfig settling() {
    return new MountConfig(leaseNanos, confirmNanos, waitNanos, acceptsLoss, true);
  }
}
