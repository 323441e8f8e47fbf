package org.salus.sim;

import java.util.Collection;
import org.salus.core.replacement.KeeperRules;
import org.salus.core.replacement.Succession.Waiver;

/** Keepers of regions with one bug each. */
public final class KeeperMutants {
  public static final KeeperRules WAITS_FOR_NOBODY =
      new KeeperRules() {
        @Override
        public Waiver waiver(boolean proofIsOver, boolean openingIsOver, boolean hasUser) {
          return Waiver.TIME_IS_OVER;
        }
      };

  static final KeeperRules LETS_ONE_GO_ON_ALONE =
      new KeeperRules() {
        @Override
        public boolean areEnough(int members, boolean mayWait) {
          return true;
        }
      };

  static final KeeperRules SHARES_DATA_NODES =
      new KeeperRules() {
        @Override
        public boolean mayPlace(String dataNode, Collection<String> taken) {
          return true;
        }
      };

  private KeeperMutants() {}
}
