package org.salus.sim;

import java.util.Collection;
import java.util.function.LongPredicate;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.MountRules;
import org.salus.core.mount.Reader;
import org.salus.core.session.Acknowledgements;
import org.salus.core.session.SessionRules;

/** Rules of leases with a planted bug. */
final class MountMutants {

  private MountMutants() {}

  /** Answers reads whether or not the lease stands. */
  static final SessionRules READS_WITHOUT_LEASE =
      new SessionRules() {
        @Override
        public boolean mayAnswerReads(long now, long readsUntil) {
          return true;
        }
      };

  /** Acknowledges changes while an earlier writer may still read. */
  static final SessionRules ACKNOWLEDGES_EARLY =
      new SessionRules() {
        @Override
        public boolean mayAcknowledge(long now, long changesFrom) {
          return true;
        }
      };

  /** Shows its own changes while an earlier writer may still read. */
  static final SessionRules SHOWS_EARLY =
      new SessionRules() {
        @Override
        public boolean mayShow(boolean waits, boolean hasChanged) {
          return true;
        }
      };

  /** Counts the lease from the answer, not from the sending. */
  static final MountRules COUNTS_FROM_THE_ANSWER =
      new MountRules() {
        @Override
        public long leaseEnd(long askedAt, long answeredAt, long leaseNanos) {
          return answeredAt + leaseNanos;
        }
      };

  /** Takes a mount without a user for another writer's. */
  static final MountRules STOPS_AFTER_THE_MASTER =
      new MountRules() {
        @Override
        public boolean isHarmless(Reader between, KeptMount by) {
          return between.claimant().equals(by.by()) || isEarlier(between.claimant(), by);
        }
      };

  /** Takes every mount between for harmless. */
  static final MountRules GOES_ON_AFTER_ANYBODY =
      new MountRules() {
        @Override
        public boolean follows(long last, long next, LongPredicate harmless) {
          return true;
        }
      };

  /** Does not wait for earlier writers. */
  static final MountRules WAITS_FOR_NOBODY =
      new MountRules() {
        @Override
        public long changesFrom(Collection<Look> earlier, long now, long waitNanos) {
          return now;
        }
      };

  /** Counts from its first look at a record, though that was confirmed since. */
  static final MountRules COUNTS_FROM_AN_OLD_LOOK =
      new MountRules() {
        @Override
        public boolean isUnchanged(Reader before, Reader now) {
          return true;
        }
      };

  /** Knows only what the mount finds of what a session has lost. */
  static final MountRules FORGETS_WHAT_IS_TOLD =
      new MountRules() {
        @Override
        public long toldSince(long before, long acknowledged) {
          return before;
        }
      };

  /** Ends without giving up what it may have claimed. */
  static final MountRules LEAVES_CLAIMS =
      new MountRules() {
        @Override
        public boolean leavesNothing(boolean asks, boolean unsettled) {
          return true;
        }
      };

  /** Shows what a mount in between has left, though an older writer may still read. */
  static final MountRules SHOWS_UNSEEN =
      new MountRules() {
        @Override
        public boolean hasUnseen(Collection<Look> earlier, long mountEpoch) {
          return false;
        }
      };

  /** Takes any process of its user for an earlier one. */
  static final MountRules TAKES_ANY_PROCESS_FOR_AN_EARLIER_ONE =
      new MountRules() {
        @Override
        public boolean isEarlier(Claimant claim, KeptMount by) {
          return claim.user().equals(by.by().user()) && !claim.equals(by.by());
        }
      };

  /** Takes any process of a lower generation for one with whose note it began. */
  static final MountRules GOES_BY_THE_GENERATION_ONLY =
      new MountRules() {
        @Override
        public boolean isEarlier(Claimant claim, KeptMount by) {
          return claim.user().equals(by.by().user()) && claim.generation() < by.by().generation();
        }
      };

  /** Forgets what an earlier process has acknowledged. */
  static final MountRules FORGETS_WHAT_WAS_KEPT =
      new MountRules() {
        @Override
        public KeptMount goesOnWith(KeptMount kept) {
          return new KeptMount(kept.by(), kept.before(), kept.epoch(), 0, 0, Acknowledgements.NONE);
        }
      };

  /** Leaves no record of a mount that was not kept. */
  static final MountRules FORGETS_MOUNTS_TOO_EARLY =
      new MountRules() {
        @Override
        public long newestToForget(boolean lasts, long kept) {
          return Long.MAX_VALUE;
        }
      };

  /** Goes on though some of what was acknowledged may not have been kept. */
  static final MountRules GOES_ON_UNCERTAIN =
      new MountRules() {
        @Override
        public boolean mayGoOn(boolean isCertain, boolean synced) {
          return true;
        }
      };
}
