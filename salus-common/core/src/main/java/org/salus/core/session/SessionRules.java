package org.salus.core.session;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.effect.SessionEffect;
import org.salus.core.log.LogSummary;
import org.salus.core.log.MountBody;
import org.salus.core.log.Prepared;
import org.salus.core.log.ResolveBody;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.Vote;

/**
 * The rules by which a session keeps the promises: what it acknowledges, what it mounts, and whom
 * it believes. The default of each rule is the product's. Tests inject others to prove that a
 * checker notices. An implementation holds no state.
 */
public interface SessionRules {
  /** The rules that the promises need. */
  SessionRules PAPER = new SessionRules() {};

  // ---- writes ----

  /**
   * The seq up to which all lanes have committed. PUT_SUCCESS needs every lane (paper §4.1).
   *
   * @param byLane the seq up to which the leaders of each lane have committed
   */
  default long committed(long[] byLane) {
    return Arrays.stream(byLane).min().orElse(0);
  }

  /**
   * Whether a lane leader's commit counts (paper §4.1). Only those of this view and of the leader's
   * present epoch do: members of an older one may have been replaced since.
   *
   * @param epoch the present epoch of the leader's RRS
   */
  default boolean isCurrent(Commit c, int view, int epoch) {
    return c.view() == view && c.epoch() == epoch;
  }

  /**
   * Whether a lane has signed a vote (paper §4.1).
   *
   * @param expected the vote that counts: of the present view, of the voter's present epoch, on the
   *     content that this session has sent
   */
  default boolean isVote(Vote expected, long volume, Signer signer) {
    return expected.isSigned(volume, signer);
  }

  /**
   * Whether a batch is prepared at every member of every participant (paper §4.1). Each member's
   * own vote is needed. The leader's members vote by their commits.
   *
   * @param voted the lanes whose YES was shown, for each participant but the leader
   */
  default boolean isPrepared(Collection<? extends Set<Integer>> voted) {
    return voted.stream().allMatch(lanes -> lanes.size() == Lanes.COUNT);
  }

  /**
   * Whether a region's new epoch begins a new view, which issues everything unacknowledged again. A
   * replaced member may have lost it.
   *
   * @param before the epoch that the session knew; 0 is none
   */
  default boolean beginsView(int before, int epoch) {
    return before != 0 && epoch > before;
  }

  /**
   * Whether an answer is overdue (paper §4.1): it or the question may be lost. The session sends
   * the question again, and counts the silence against the member that owes the answer.
   *
   * @param silent nanoseconds of silence
   * @param patience nanoseconds that an answer may take
   */
  default boolean isOverdue(long silent, long patience) {
    return silent >= patience;
  }

  /**
   * Whether a PUT waits for reads: the tree must still say what they return.
   *
   * @param reading the number of reads of its blocks that are under way, by block
   */
  default boolean putWaits(SortedMap<Long, Integer> reading) {
    return !reading.isEmpty();
  }

  /**
   * Whether a read waits for an earlier write of its blocks, of which the tree does not know all.
   *
   * @param queued whether a part of that write is in no batch yet
   */
  default boolean readWaits(boolean queued) {
    return queued;
  }

  /**
   * Whether a change of a part of a block is merged with what this change leaves there, until
   * another one comes. If one were passed over, the merged block would bring back what it has
   * replaced.
   *
   * @param zeros whether the change zeroes its blocks
   */
  default boolean isMergedWith(boolean zeros) {
    return true;
  }

  /**
   * Whether changes may be sent. Where M0 has found no room, a change only ends the session, and
   * the next mount takes what room is left.
   *
   * @param doubted the regions in which an earlier session of the same user may have found no room,
   *     and whose M0 has not said since that there is some
   */
  default boolean maySendChanges(Set<Integer> doubted) {
    return doubted.isEmpty();
  }

  /**
   * Whether a sign shows that a region's log has room besides its reserve for mounts. Then earlier
   * refusals there are void, and the next pause is short again.
   */
  default boolean provesRoom(Room.Sign sign) {
    return sign != Room.Sign.WORD_OF_M0;
  }

  // ---- leases ----

  /**
   * Whether reads may be answered: only while this client is the volume's writer for certain.
   *
   * @param readsUntil when the lease is over, in nanoseconds of the clock of {@code now}
   */
  default boolean mayAnswerReads(long now, long readsUntil) {
    return now - readsUntil < 0;
  }

  /**
   * Whether changes may be acknowledged: only when no earlier writer reads any more what was there
   * before.
   *
   * @param changesFrom when that is so, in nanoseconds of the clock of {@code now}
   */
  default boolean mayAcknowledge(long now, long changesFrom) {
    return now - changesFrom >= 0;
  }

  /**
   * Whether reads may be answered as far as earlier writers are concerned. What a read returns is
   * as good as acknowledged.
   *
   * @param waits whether changes may not be acknowledged yet
   * @param hasChanged whether the read may have returned a change that an earlier writer does not
   *     know: one of this mount, or of a mount in between
   */
  default boolean mayShow(boolean waits, boolean hasChanged) {
    return !waits || !hasChanged;
  }

  // ---- mounts ----

  /**
   * Whether a member answers what this mount has asked (paper §4.3).
   *
   * @param epoch the present epoch of the member's region
   */
  default boolean answers(MountReply m, long mountEpoch, int epoch) {
    return m.mountEpoch() == mountEpoch && m.epoch() == epoch;
  }

  /**
   * Whether a member answers the resolution of this mount (paper §4.4, phase 4).
   *
   * @param epoch the present epoch of the member's region
   */
  default boolean answers(ResolveReply m, ResolveBody asked, int epoch) {
    return m.mountEpoch() == asked.mountEpoch()
        && m.prefix() == asked.prefix()
        && m.epoch() == epoch;
  }

  /**
   * Whether every participant has prepared this batch, in any view (longest committable prefix,
   * paper §4.4, phase 3). Every view cuts batches in the same places, with the same content.
   *
   * @param logs what each region's log holds, by region
   */
  default boolean isComplete(Prepared batch, List<LogSummary> logs) {
    return batch.participants().stream().allMatch(r -> logs.get(r).holds(batch));
  }

  /**
   * Whether a user may go on with a volume that is mounted again. Whoever has seen a write
   * acknowledged must not read what was there before (paper §2.2): a file system that stays mounted
   * would mix both.
   *
   * @param prefix the seq with which the mount begins
   * @param acknowledged the seq up to which writes were acknowledged to this user
   */
  default boolean mayGoOn(long prefix, long acknowledged) {
    return prefix >= acknowledged;
  }

  /**
   * The seq up to which writes were acknowledged, as far as a session that finds some lost knows.
   *
   * @param known what the logs say, or what this session has acknowledged
   * @param told the seq up to which they were acknowledged to this user by earlier sessions
   */
  default long acknowledged(long known, long told) {
    return Math.max(known, told);
  }

  /**
   * The seq up to which everything is there for certain, once all logs of a region lack what was
   * committed. Logs of other regions may have lost more.
   *
   * @param held the last seq that a log of the region has
   * @param durable the seq up to which everything was on disk
   */
  default long certain(long held, long durable) {
    return Math.min(held, durable);
  }

  /**
   * Whether a session that finds acknowledged writes lost waits until that is noted durably, before
   * its mount goes on and before it ends. The resolution of a mount makes all logs forget the loss,
   * and the user who knows may end.
   */
  default boolean awaitsNote(SessionEffect.WentBack loss) {
    return true;
  }

  // ---- answers ----

  /**
   * Finds the question that an answer is to. A session gives each question a number of its own,
   * also when it asks again. So the number stands for the member, the epoch and the blocks that
   * were asked for.
   *
   * @param open the numbers of the questions that have no answer yet
   * @param named the number that the answer names
   * @return the question's number, or null
   */
  default Long question(NavigableSet<Long> open, long named) {
    return open.contains(named) ? (Long) named : null;
  }

  /**
   * Whether a block is the one in the volume tree (paper §4.3).
   *
   * @param leaf the hash of the bytes that a member sent
   */
  default boolean isInTree(byte[] leaf, byte[] inTree) {
    return Arrays.equals(leaf, inTree);
  }

  /**
   * Whether a refusal proves that the session is fenced (paper §4.3): the session of a newer mount
   * must have signed it.
   *
   * @param region the region whose member refuses
   */
  default boolean showsNewerMount(
      Refused refusal, RegionId region, long mountEpoch, Signer signer) {
    return refusal.seq() > mountEpoch
        && new MountBody(refusal.seq()).isProven(region, refusal.mount(), signer);
  }

  /**
   * Whether enough members lack what was committed that no member of the region has it. All members
   * of one epoch must say so. Those of different epochs may all be wrong, beside one that is right.
   *
   * @param said the newest epoch in which each lane's member has said that it lacks it, by lane
   * @param epoch the region's present epoch
   */
  default boolean isLost(Map<Integer, Integer> said, int epoch) {
    return said.values().stream().filter(e -> e == epoch).count() == Lanes.COUNT;
  }

  /**
   * Whether a change that fails may have taken effect, or may yet.
   *
   * @param sent whether something of it was sent
   */
  default boolean isInDoubt(boolean sent) {
    return sent;
  }
}
