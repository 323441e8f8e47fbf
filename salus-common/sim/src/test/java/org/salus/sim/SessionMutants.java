package org.salus.sim;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.effect.SessionEffect;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Prepared;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Vote;
import org.salus.core.session.Room;
import org.salus.core.session.SessionRules;

/** Rules of a session with a planted bug. */
public final class SessionMutants {

  private SessionMutants() {}

  /** Acknowledges what two of three lanes have committed. */
  public static final SessionRules ACKNOWLEDGES_ON_TWO_LANES =
      new SessionRules() {
        @Override
        public long committed(long[] byLane) {
          return Arrays.stream(byLane).sorted().skip(1).findFirst().orElse(0);
        }
      };

  /** Says of every change that fails that it never takes effect. */
  static final SessionRules DOUBTS_NOTHING =
      new SessionRules() {
        @Override
        public boolean isInDoubt(boolean sent) {
          return false;
        }
      };

  /** Acknowledges what one lane has committed. */
  static final SessionRules ACKNOWLEDGES_ON_ONE_LANE =
      new SessionRules() {
        @Override
        public long committed(long[] byLane) {
          return Arrays.stream(byLane).max().orElse(0);
        }
      };

  /** Believes the leader about what the other participants have. */
  static final SessionRules ACKNOWLEDGES_BY_LEADERS_ONLY =
      new SessionRules() {
        @Override
        public boolean isPrepared(Collection<? extends Set<Integer>> voted) {
          return true;
        }
      };

  /** Counts the votes of members that were replaced. */
  static final SessionRules COUNTS_VOTES_OF_OTHER_EPOCHS =
      new SessionRules() {
        @Override
        public boolean isVote(Vote expected, long volume, Signer signer) {
          return IntStream.rangeClosed(0, expected.epoch())
              .mapToObj(epoch -> of(expected, epoch))
              .anyMatch(v -> v.isSigned(volume, signer));
        }
      };

  private static Vote of(Vote v, int epoch) {
    return new Vote(
        v.region(),
        epoch,
        v.lane(),
        v.leader(),
        v.mountEpoch(),
        v.view(),
        v.first(),
        v.last(),
        v.root(),
        v.no(),
        v.signature());
  }

  /** Does not reissue what a replaced member may have lost. */
  static final SessionRules REISSUES_NOTHING =
      new SessionRules() {
        @Override
        public boolean beginsView(int before, int epoch) {
          return false;
        }
      };

  /** Never resends by itself, and ignores silence. */
  static final SessionRules NEVER_RESENDS =
      new SessionRules() {
        @Override
        public boolean isOverdue(long silent, long patience) {
          return false;
        }
      };

  /** Mounts at too short a prefix, without what is prepared everywhere. */
  static final SessionRules MOUNTS_TOO_SHORT =
      new SessionRules() {
        @Override
        public boolean isComplete(Prepared batch, List<LogSummary> logs) {
          return false;
        }
      };

  /** Mounts at too long a prefix, with what only one participant has prepared. */
  static final SessionRules MOUNTS_TOO_LONG =
      new SessionRules() {
        @Override
        public boolean isComplete(Prepared batch, List<LogSummary> logs) {
          return true;
        }
      };

  /** Takes an answer for that to another question. */
  static final SessionRules TAKES_ANSWERS_TO_OTHER_QUESTIONS =
      new SessionRules() {
        @Override
        public Long question(NavigableSet<Long> open, long named) {
          return open.isEmpty() ? null : open.first();
        }
      };

  /** Goes on for a user who has lost what was acknowledged. */
  static final SessionRules GOES_ON_AFTER_LOSS =
      new SessionRules() {
        @Override
        public boolean mayGoOn(long prefix, long acknowledged) {
          return true;
        }
      };

  /** Believes any member that it is fenced. */
  static final SessionRules BELIEVES_FENCED =
      new SessionRules() {
        @Override
        public boolean showsNewerMount(
            Refused refusal, RegionId region, long mountEpoch, Signer signer) {
          return true;
        }
      };

  /** Believes any member that what was committed is lost. */
  static final SessionRules BELIEVES_LOST =
      new SessionRules() {
        @Override
        public boolean isLost(Map<Integer, Integer> said, int epoch) {
          return !said.isEmpty();
        }
      };

  /** Adds up what members of different epochs say that they have lost. */
  static final SessionRules ADDS_UP_EPOCHS =
      new SessionRules() {
        @Override
        public boolean isLost(Map<Integer, Integer> said, int epoch) {
          return said.size() == Lanes.COUNT;
        }
      };

  /** Hands out blocks that the volume tree does not confirm. */
  static final SessionRules CHECKS_NO_TREE =
      new SessionRules() {
        @Override
        public boolean isInTree(byte[] leaf, byte[] inTree) {
          return true;
        }
      };

  /** Sends changes again and again where there is no room. */
  static final SessionRules WRITES_WITHOUT_ROOM =
      new SessionRules() {
        @Override
        public boolean maySendChanges(Set<Integer> doubted) {
          return true;
        }
      };

  /** Takes M0's word for a sign of room. */
  static final SessionRules TRUSTS_WORD_OF_ROOM =
      new SessionRules() {
        @Override
        public boolean provesRoom(Room.Sign sign) {
          return true;
        }
      };

  /** Has the logs forget what is lost before it is noted. */
  static final SessionRules NOTES_TOO_LATE =
      new SessionRules() {
        @Override
        public boolean awaitsNote(SessionEffect.WentBack loss) {
          return false;
        }
      };

  /** Ends for what it has lost before that is noted. */
  static final SessionRules ENDS_WITHOUT_NOTE =
      new SessionRules() {
        @Override
        public boolean awaitsNote(SessionEffect.WentBack loss) {
          return !loss.served();
        }
      };

  /** Tells of a loss only what its own session, or the logs, know to be acknowledged. */
  static final SessionRules NOTES_TOO_LITTLE =
      new SessionRules() {
        @Override
        public long acknowledged(long known, long needed) {
          return known;
        }
      };

  /** Says that the first change that may be gone is there. */
  static final SessionRules NOTES_TOO_HIGH_A_PREFIX =
      new SessionRules() {
        @Override
        public long certain(long held, long durable) {
          return Math.min(held, durable) + 1;
        }
      };

  /** Reads blocks before an earlier write of them is in a batch. */
  static final SessionRules READS_BEFORE_WRITES =
      new SessionRules() {
        @Override
        public boolean readWaits(boolean queued) {
          return false;
        }
      };

  /** Merges parts of blocks with what was there before it was zeroed. */
  static final SessionRules FORGETS_ZEROS =
      new SessionRules() {
        @Override
        public boolean isMergedWith(boolean zeros) {
          return !zeros;
        }
      };

  /** Writes blocks that are being read. */
  static final SessionRules WRITES_WHILE_READING =
      new SessionRules() {
        @Override
        public boolean putWaits(SortedMap<Long, Integer> reading) {
          return false;
        }
      };
}
