package org.salus.sim;

import java.util.List;
import org.salus.core.Signer;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.member.MemberRules;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;

/** Rules of the chain of epochs with a planted bug. */
public final class EpochMutants {

  private EpochMutants() {}

  /** Takes an epoch that no master has signed. */
  public static final EpochRules TAKES_FORGED =
      new EpochRules() {
        @Override
        public boolean isGenuine(EpochLink link, Signer signer) {
          return true;
        }
      };

  /** Takes an epoch whatever it builds on. */
  static final EpochRules FORKS =
      new EpochRules() {
        @Override
        public boolean mayFollow(EpochLink last, EpochLink next) {
          return true;
        }
      };

  /** Takes an epoch that is over. */
  static final EpochRules GOES_BACK =
      new EpochRules() {
        @Override
        public boolean isNewer(EpochLink newest, int epoch) {
          return true;
        }
      };

  /** Takes one member's word that its epoch serves. */
  static final EpochRules TRUSTS_ONE_MEMBER =
      new EpochRules() {
        @Override
        public boolean hasServed(EpochLink link, Permission manifest, Signer signer) {
          return true;
        }

        @Override
        public boolean haveAllWritten(EpochLink link, WrittenManifest proof, Signer signer) {
          return true;
        }
      };

  /** Lets an epoch serve whose manifest one member alone has. */
  static final EpochRules SERVES_WITH_ONE =
      new EpochRules() {
        @Override
        public boolean haveAllWritten(EpochLink link, WrittenManifest proof, Signer signer) {
          return true;
        }
      };

  /** Lets files be completed and deleted by a manifest that one member alone has. */
  static final EpochRules TIDIES_WITH_ONE =
      new EpochRules() {
        @Override
        public boolean haveWords(
            Permission.Deed deed, EpochLink newest, WrittenManifest shown, Signer signer)
            throws MalformedException {
          return deed.ends() || PAPER.haveWords(deed, newest, shown, signer);
        }
      };

  /** Takes more for the log than the members of the epoch that served last have certified. */
  static final EpochRules FORGETS_WHERE_THE_LOG_ENDED =
      new EpochRules() {
        @Override
        public LogBefore logBefore(LogRecord manifest) {
          return LogBefore.NONE;
        }
      };

  /** Lets an epoch serve while the NameNode still counts the replicas of the one before. */
  static final EpochRules SERVES_UNCOUNTED =
      new EpochRules() {
        @Override
        public boolean isCounted(EpochRegister.OpenFile file, List<String> members) {
          return true;
        }
      };

  /** Votes before the NameNode knows that the epoch serves. */
  static final MemberRules BEGINS_EARLY =
      new MemberRules() {
        @Override
        public boolean mayBegin(boolean registered) {
          return true;
        }
      };
}
