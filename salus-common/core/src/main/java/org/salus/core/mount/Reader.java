package org.salus.core.mount;

/**
 * A reader's record, as it stood when it was looked at: a writer that may still answer reads.
 *
 * @param mountEpoch the writer's mount
 * @param version changes with each confirmation of its claim
 * @param claimant who took the volume
 * @param ended whether the writer is known to answer no reads any more, because its process has
 *     ended
 * @param withoutUser whether nobody reads or writes under the mount: the master has made it to
 *     settle what a writer has left
 */
public record Reader(
    long mountEpoch, long version, Claimant claimant, boolean ended, boolean withoutUser) {
  /** Whether the writer may answer reads under a lease that stands. */
  public boolean mayRead() {
    return !ended && !withoutUser;
  }
}
