package org.salus.sim;

import java.util.Collection;
import java.util.List;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.compaction.CheckpointSet;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.log.LogState;
import org.salus.core.log.LogState.No;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.MountBody;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.member.MemberRules;
import org.salus.core.path.FilePath;

/** Rules of the log with a planted bug. */
public final class LogMutants {

  private LogMutants() {}

  /** Takes a record without a certificate. */
  static final LogRules IGNORES_CERTIFICATE =
      new LogRules() {
        @Override
        public boolean isCertified(
            LogRecord r, List<String> members, List<byte[]> signatures, Signer signer) {
          return true;
        }
      };

  /** Takes a failure of the network for the end of the log. */
  static final LogRules ENDS_WHERE_READING_FAILS =
      new LogRules() {
        @Override
        public boolean isReadThrough(boolean unsure) {
          return true;
        }
      };

  /** Takes the permission to create a file for the permission to give its block back. */
  static final LogRules ABANDONS_BLOCKS =
      new LogRules() {
        @Override
        public boolean mayChange(Deed deed, FileState before, boolean serves) {
          return deed == Deed.ABANDON || LogRules.super.mayChange(deed, before, serves);
        }
      };

  /** Adds a block to a file that has one, and so commits the block before at any length. */
  static final LogRules ADDS_BLOCKS =
      new LogRules() {
        @Override
        public boolean mayChange(Deed deed, FileState before, boolean serves) {
          return deed == Deed.ADD_BLOCK || LogRules.super.mayChange(deed, before, serves);
        }
      };

  /** Lets a segment that is deleted be created again. */
  static final LogRules CREATES_AGAIN = anyTurn(Deed.CREATE);

  /** Lets segments be deleted before older ones. */
  static final LogRules LEAVES_GAPS = anyTurn(Deed.DELETE);

  private static LogRules anyTurn(Deed of) {
    return new LogRules() {
      @Override
      public boolean isInTurn(
          Deed deed, FilePath.Kind kind, long number, Permission shown, Collection<Long> there) {
        return deed == of || LogRules.super.isInTurn(deed, kind, number, shown, there);
      }
    };
  }

  /** Lets an epoch finish and delete files before it serves. */
  static final LogRules ENDS_TOO_EARLY =
      new LogRules() {
        @Override
        public boolean mayChange(Deed deed, FileState before, boolean serves) {
          return LogRules.super.mayChange(deed, before, true);
        }
      };

  /** Cuts replicas as it is told, whatever their members have found valid. */
  static final LogRules CUTS_AS_TOLD =
      new LogRules() {
        @Override
        public boolean mayCut(long found, long length, long to) {
          return true;
        }
      };

  /**
   * Cuts replicas as it is told while their members have not said what is valid. It gives them new
   * stamps as it is told, because a recovery would otherwise not get so far.
   */
  static final LogRules CUTS_THE_UNKNOWN =
      new LogRules() {
        @Override
        public boolean mayCut(long found, long length, long to) {
          return found < 0 || LogRules.super.mayCut(found, length, to);
        }

        @Override
        public boolean mayRaise(boolean recovers) {
          return true;
        }
      };

  /** Counts replicas under a new stamp that their DataNodes have not reported. */
  static final LogRules COUNTS_THE_UNREPORTED =
      new LogRules() {
        @Override
        public boolean mayCount(long reported, long stamp) {
          return true;
        }
      };

  /** Gives replicas new stamps as it is told, whatever their members have said. */
  static final LogRules RAISES_AS_TOLD =
      new LogRules() {
        @Override
        public boolean mayRaise(boolean recovers) {
          return true;
        }
      };

  /** Gives replicas stamps that the NameNode has not given out. */
  static final LogRules TAKES_INVENTED_STAMPS =
      new LogRules() {
        @Override
        public boolean isGivenOut(long newest, long stamp) {
          return true;
        }
      };

  /** Counts fewer replicas than there are members. */
  static final LogRules LEAVES_MEMBERS_OUT =
      new LogRules() {
        @Override
        public boolean mayDropOthers(Collection<String> members, Collection<String> named) {
          return true;
        }
      };

  /** Accepts a sub-batch whatever stands before it in the region. */
  public static final MemberRules SKIPS_PREV_NUM =
      new MemberRules() {
        @Override
        public No mayPut(LogState log, SubBatch b) {
          No no = MemberRules.super.mayPut(log, b);
          return no != null
                  && no.why() == Refusal.OUT_OF_ORDER
                  && b.mountEpoch() == log.mountEpoch()
              ? null
              : no;
        }
      };

  /** Accepts sub-batches of a mount that has ended. */
  static final MemberRules DOES_NOT_FENCE =
      new MemberRules() {
        @Override
        public No mayPut(LogState log, SubBatch b) {
          No no = MemberRules.super.mayPut(log, b);
          return no != null && no.why() == Refusal.FENCED ? null : no;
        }
      };

  /** Lets an older mount in after a newer one. */
  static final MemberRules ACCEPTS_OLD_MOUNTS =
      new MemberRules() {
        @Override
        public No mayMount(LogState log, MountBody m) {
          return null;
        }
      };

  /** Lets a resolution cut what is settled. */
  static final MemberRules RESOLVES_AGAIN =
      new MemberRules() {
        @Override
        public No mayResolve(LogState log, ResolveBody r) {
          return null;
        }
      };

  /** Flushes a segment with pending records. */
  static final MemberRules FLUSHES_UNDECIDED =
      new MemberRules() {
        @Override
        public boolean mayFlush(LogState log, SegmentEnd closed) {
          return true;
        }
      };

  /** Treats what is only logged as settled. */
  static final MemberRules SETTLES_EARLY =
      new MemberRules() {
        @Override
        public long settles(SubBatch b) {
          return b.last();
        }
      };

  /** Lets go of the oldest checkpoint as soon as there is another. */
  static final MemberRules DROPS_CHECKPOINT =
      new MemberRules() {
        @Override
        public ManifestBody manifest(
            LogState log, List<String> members, List<SegmentEnd> segments) {
          ManifestBody m = MemberRules.super.manifest(log, members, segments);
          CheckpointSet all = m.checkpoints();
          int n = all.live().size();
          return new ManifestBody(
              m.members(),
              m.segments(),
              m.mount(),
              m.progress(),
              m.pending(),
              new CheckpointSet(
                  n < 2 ? all.live() : all.live().subList(1, n), all.next(), all.building()));
        }
      };

  /** Lets go of live segments. */
  static final MemberRules DROPS_SEGMENT =
      new MemberRules() {
        @Override
        public ManifestBody manifest(
            LogState log, List<String> members, List<SegmentEnd> segments) {
          return MemberRules.super.manifest(
              log, members, segments.size() < 2 ? segments : segments.subList(1, segments.size()));
        }
      };

  /** Has lost everything that was committed. */
  static final MemberRules LOSES_COMMITTED =
      new MemberRules() {
        @Override
        public No mayPut(LogState log, SubBatch b) {
          No lost = lost(b.prevNum(), b.acked(), log.lastSeq());
          return lost != null ? lost : MemberRules.super.mayPut(log, b);
        }

        @Override
        public No lost(long prevNum, long acked, long lastSeq) {
          return MemberRules.super.lost(prevNum, acked, 0);
        }
      };
}
