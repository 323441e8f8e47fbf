package org.salus.core.mount;

import java.util.List;

/**
 * A writer's claim that stands in ZooKeeper.
 *
 * @param mountEpoch the number of the mount
 * @param askedAt when the claim was sent, in nanoseconds of the client's clock
 * @param readers all readers' records as they were after the claim, its own among them
 */
public record Claim(long mountEpoch, long askedAt, List<MountRules.Look> readers) {
  /** Copies the list. */
  public Claim {
    readers = List.copyOf(readers);
  }
}
