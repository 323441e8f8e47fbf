package org.salus.core.replacement;

import java.util.Collection;
import org.salus.core.replacement.Succession.Waiver;

/**
 * When the keeper of a region ({@link RegionKeeper}) lets an epoch serve without holders that are
 * away (paper §2.1), and where it puts replicas (paper §4.2.1). Production and simulator run the
 * same rules. Tests plant bugs in them.
 */
public interface KeeperRules {
  /** The product's rules. */
  KeeperRules PAPER = new KeeperRules() {};

  /**
   * Why the next epoch may serve without holders that are away, though no user has said that
   * nothing is missing. A user who lives speaks as soon as members can be asked. So with one, an
   * epoch gets the time that any epoch has to open.
   *
   * @param proofIsOver whether no epoch has served for {@link KeeperTimes#proof}
   * @param openingIsOver whether none has for {@link KeeperTimes#opening}
   */
  default Waiver waiver(boolean proofIsOver, boolean openingIsOver, boolean hasUser) {
    if (!proofIsOver) {
      return hasUser ? Waiver.NONE : Waiver.NO_USER;
    }
    return hasUser && !openingIsOver ? Waiver.NONE : Waiver.TIME_IS_OVER;
  }

  /**
   * Whether so few members may begin an epoch. Nobody would check what a single one says of its
   * log.
   *
   * @param mayWait whether holders are away that may come back
   */
  default boolean areEnough(int members, boolean mayWait) {
    return members > 1 || !mayWait;
  }

  /**
   * Whether a member may have its replica on a DataNode. What is acknowledged is on three different
   * ones, and no machine that is lost takes anything of two members.
   *
   * @param taken the DataNodes with replicas of other members, and those beside other members
   */
  default boolean mayPlace(String dataNode, Collection<String> taken) {
    return !taken.contains(dataNode);
  }
}
