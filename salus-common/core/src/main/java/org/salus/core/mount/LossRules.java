package org.salus.core.mount;

import java.util.Collection;
import org.salus.core.mount.LossRecord.Loss;

/**
 * The rules of the record of what a volume has lost. The default of each rule is the product's.
 * Tests inject others to prove that a checker notices. An implementation holds no state.
 */
public interface LossRules {
  /** The rules that the promises need. */
  LossRules PAPER = new LossRules() {};

  /**
   * Whether two findings are of one loss. It may be found more than once:
   *
   * <ul>
   *   <li>A mount goes back as far as another one. The handle that had the volume knows best how
   *       much was acknowledged.
   *   <li>A session has lost what it acknowledged, and the next mount finds how far the volume goes
   *       back.
   * </ul>
   *
   * <p>The findings may be noted in any order, and each more than once: what a finding has taken in
   * is the same, whoever has served since.
   */
  default boolean isSame(Loss one, Loss other) {
    Loss first = one.mountEpoch() <= other.mountEpoch() ? one : other;
    Loss later = one.mountEpoch() <= other.mountEpoch() ? other : one;
    if (one.served() && other.served()) {
      return one.mountEpoch() == other.mountEpoch();
    }
    if (first.served()) {
      return first.mountEpoch() < later.mountEpoch()
          && nobodyServed(first.mountEpoch() + 1, later)
          && first.overlaps(later);
    }
    return !later.served()
        && first.prefix() == later.prefix()
        && (later.mountEpoch() <= first.last() || nobodyServed(first.mountEpoch(), later));
  }

  /**
   * Whether no mount from {@code first} on is known to have served before a mount found a loss. If
   * one has, changes may have been acknowledged that were lost since, which is another loss.
   */
  default boolean nobodyServed(long first, Loss found) {
    return found.after() < first;
  }

  /**
   * Whether somebody has accepted a loss as it was found. A note may be written again after that,
   * since only its answer was lost.
   *
   * @param accepted what he has seen
   */
  default boolean isAccepted(Loss accepted, Loss found) {
    return isSame(accepted, found) && accepted.tells(found);
  }

  /**
   * Whether who accepts what he has seen knows of a loss as it is noted now. Others may be found
   * between his look and his word.
   */
  default boolean isSeen(Collection<Loss> seen, Loss now) {
    return seen.stream().anyMatch(s -> isAccepted(s, now));
  }

  /**
   * The newest of two mounts that have found the volume whole. The word of the older one may come
   * later.
   */
  default long newest(long known, long mountEpoch) {
    return Math.max(known, mountEpoch);
  }

  /**
   * Whether a note that has failed is written again.
   *
   * @param isWithdrawn whether its mount has found otherwise since
   */
  default boolean isWrittenAgain(boolean isWithdrawn) {
    return !isWithdrawn;
  }
}
