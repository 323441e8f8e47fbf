package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.LogRules;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.Vote;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.Succession;
import org.salus.core.replacement.Succession.Waiver;

/**
 * The rules by which a member keeps its part of the promises. They say what it accepts from the
 * chain, when its lane commits, and what it answers. The default of each rule is the product's.
 * Tests inject others to prove that a checker notices. An implementation holds no state.
 */
public interface MemberRules extends LogRules {
  /** The rules that the promises need. */
  MemberRules PAPER = new MemberRules() {};

  // ---- the chain ----

  /**
   * Whether all members before this one have signed the record (paper §4.2.3). The signatures
   * become part of the certificate, which the last member appends without another check.
   *
   * @param before names of those members, in chain order
   */
  default boolean isSignedByAllBefore(
      LogRecord r, List<String> before, List<byte[]> signatures, Signer signer) {
    return signatures.size() == before.size() && r.certifiedBy(before, signatures, signer);
  }

  /** Whether the payload, which may be null, is the one that the header names (paper §4.2.3). */
  default boolean isIntact(LogRecord r, ByteBuffer payload) {
    int length = payload == null ? 0 : payload.remaining();
    return length == r.payloadLength() && (length == 0 || LogRecord.crc(payload) == r.payloadCrc());
  }

  /**
   * Whether the session of this mount has signed the request, for the region and the epoch that it
   * names (paper §4.2.3). M0 alone cannot forge it, nor pass on what was meant for another region.
   */
  default boolean isFromSession(
      LogRequest request, long mountEpoch, byte[] signature, Signer signer) {
    return request.isSigned(mountEpoch, signature, signer);
  }

  /** Whether a sub-batch concerns an epoch of a region: it is one of its participants. */
  default boolean isParticipant(SubBatch b, int region, int epoch) {
    return b.participants().epochOf(region) == epoch;
  }

  /**
   * Whether a member may vote and answer (paper §4.2.2). Otherwise two epochs that build on the
   * same one could both acknowledge requests.
   *
   * @param registered whether the NameNode has told this member that it knows that the epoch serves
   */
  default boolean mayBegin(boolean registered) {
    return registered;
  }

  // ---- the lane leader ----

  /**
   * Whether a vote is one on this batch. It names the batch's view, place and content, and the
   * epoch of the voter's region that takes part in it. A vote that was given earlier, or by a
   * member that was replaced, counts for nothing.
   */
  default boolean isOn(Vote v, SubBatch batch) {
    return v.mountEpoch() == batch.mountEpoch()
        && v.view() == batch.view()
        && v.first() == batch.first()
        && v.last() == batch.last()
        && v.epoch() == batch.participants().epochOf(v.region())
        && Arrays.equals(v.root(), batch.volumeRoot());
  }

  /**
   * Whether another leader's confirmation counts in this lane: it is of the present mount and view,
   * and of the epoch that the session has named for that leader's region.
   *
   * @param epoch that epoch; 0 if the session has named none in this view
   */
  default boolean confirms(Commit c, long mountEpoch, int view, int epoch) {
    return epoch != 0 && c.epoch() == epoch && c.mountEpoch() == mountEpoch && c.view() == view;
  }

  /** Whether a vote is a YES to its sub-batch (paper §4.1, PC2). */
  default boolean isYes(Vote v) {
    return v.no() == null;
  }

  /**
   * Whether every participant has voted YES in the batch's view (paper §4.1, PC3).
   *
   * @param yes the YES votes of this lane on the batch, by region
   */
  default boolean hasAllVotes(SubBatch batch, Map<Integer, Vote> yes) {
    for (int p : batch.participants().regions()) {
      Vote v = yes.get(p);
      if (v == null || !isOn(v, batch)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the lane has committed everything before the batch: COMMIT-CONFIRMATION (paper §4.1,
   * PC3).
   *
   * @param committed the seq up to which the lane is known to have committed
   */
  default boolean isConfirmed(SubBatch batch, long committed) {
    return committed >= batch.first() - 1;
  }

  // ---- the opening of an epoch ----

  /**
   * The places of the members whose replicas recovery makes equal, and without which it does not go
   * on (paper §4.4, phase 2). The members become the region's holders, so it is all of them.
   *
   * @param members the number of members
   */
  default List<Integer> toEqualize(int members) {
    return IntStream.range(0, members).boxed().toList();
  }

  /**
   * Whether a member's own replica of a segment is equal to the others, so that the member may sign
   * the manifest and become a holder (paper §4.4, phase 2). M0's word is not enough: HDFS drops
   * what a recovery has left behind.
   */
  default boolean isEqual(SegmentEnd agreed, OwnReplica own) {
    return own.length() == agreed.length() && (own.isFinished() || own.valid() >= agreed.length());
  }

  /**
   * Whether an epoch may take the place of the one that served before, so that its members become
   * the holders (paper §2.1, §4.4 phase 2). If all holders are members, each right one has seen to
   * it that nothing is lost that there is. Otherwise all that are members may be wrong, and the
   * right ones away. Then the volume's user must say that nothing is missing. If nobody can, the
   * master's patience must be over, or two holders must be there. Nobody overrules a user who
   * misses something.
   *
   * @param succession as this member knows it, which may have lost what it had as a holder
   * @param word what the user has said about the log that this member has replayed
   */
  default boolean mayRetire(Succession succession, Reliance word) {
    return succession.isWhole()
        || switch (word) {
          case WHOLE -> true;
          case MISSING -> false;
          case GONE -> succession.waiver() == Waiver.TIME_IS_OVER;
          case NONE -> succession.waiver() == Waiver.TIME_IS_OVER || succession.staying() > 1;
          case UNKNOWN ->
              succession.waiver() == Waiver.TIME_IS_OVER
                  || succession.waiver() == Waiver.NO_USER && succession.staying() > 1;
        };
  }

  // ---- answers ----

  /**
   * Whether a read may be served (paper §4.1): the newest PUT that it names is committed.
   *
   * @param prevNum that PUT's seq
   * @param watermark the seq up to which this member knows its lane to have committed
   * @param acked the seq up to which all lanes have committed, as the asker says
   */
  default boolean mayServe(long prevNum, long watermark, long acked) {
    return prevNum <= Math.max(watermark, acked);
  }

  /**
   * Whether a member may tell its region root (paper §4.3).
   *
   * @param replayed whether the log of earlier epochs has been read into the index completely
   */
  default boolean mayTellRoot(boolean replayed) {
    return replayed;
  }
}
