package org.salus.sim;

import java.util.Collection;
import org.salus.core.mount.LossRecord.Loss;
import org.salus.core.mount.LossRules;

/** Rules of the record of losses with a planted bug. */
final class LossMutants {

  private LossMutants() {}

  /** Merges a finding with that of any later mount. */
  static final LossRules MERGES_BLINDLY =
      new LossRules() {
        @Override
        public boolean nobodyServed(long first, Loss found) {
          return true;
        }
      };

  /** Notes again what somebody has accepted. */
  static final LossRules FORGETS_WHAT_IS_ACCEPTED =
      new LossRules() {
        @Override
        public boolean isAccepted(Loss accepted, Loss found) {
          return false;
        }
      };

  /** Accepts whatever is noted when somebody accepts, also what he has not seen. */
  static final LossRules ACCEPTS_WHAT_NOBODY_HAS_SEEN =
      new LossRules() {
        @Override
        public boolean isSeen(Collection<Loss> seen, Loss now) {
          return true;
        }
      };

  /** Takes whichever mount tells last that the volume is whole for the newest. */
  static final LossRules TAKES_THE_LAST_WORD =
      new LossRules() {
        @Override
        public long newest(long known, long mountEpoch) {
          return mountEpoch;
        }
      };

  /** Gives a note up that fails. */
  static final LossRules GIVES_NOTES_UP =
      new LossRules() {
        @Override
        public boolean isWrittenAgain(boolean isWithdrawn) {
          return false;
        }
      };
}
