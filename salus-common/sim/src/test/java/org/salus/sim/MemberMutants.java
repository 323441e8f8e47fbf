package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.event.ForwardingMember;
import org.salus.core.event.MemberEvents;
import org.salus.core.log.Durable;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.LogSummary;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.MemberRules;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Reliance;
import org.salus.core.member.Seat;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.Succession;
import org.salus.core.scan.LogScan;
import org.salus.sim.parts.MemberMaker;

/** Rules of a member, and members, with a planted bug. */
public final class MemberMutants {

  private static final int MOST_REGIONS = 8;

  private MemberMutants() {}

  // ---- the opening of an epoch ----

  /** Takes the place of holders that are away, whatever the volume's user relies on. */
  public static final MemberRules RETIRES_HOLDERS =
      new MemberRules() {
        @Override
        public boolean mayRetire(Succession succession, Reliance word) {
          return true;
        }
      };

  /** Recovers the replicas that the NameNode knows, and none else. */
  static final MemberRules RECOVERS_WHAT_IS_LISTED =
      new MemberRules() {
        @Override
        public List<Integer> toEqualize(int members) {
          return List.of();
        }
      };

  /** Signs the manifest though its own replica may have been left behind. */
  static final MemberRules TRUSTS_RECOVERY =
      new MemberRules() {
        @Override
        public boolean isEqual(SegmentEnd agreed, OwnReplica own) {
          return true;
        }
      };

  /** Recovers what the NameNode knows, and becomes a holder whatever that was. */
  static final MemberRules HOLDS_WHAT_IS_LEFT_BEHIND =
      new MemberRules() {
        @Override
        public List<Integer> toEqualize(int members) {
          return List.of();
        }

        @Override
        public boolean isEqual(SegmentEnd agreed, OwnReplica own) {
          return true;
        }
      };

  /** Goes on without the replica of a DataNode that does not answer. */
  static final MemberRules GOES_ON_WITHOUT_SLOW_ONES =
      new MemberRules() {
        @Override
        public List<Integer> toEqualize(int members) {
          return List.of(0);
        }

        @Override
        public boolean isEqual(SegmentEnd agreed, OwnReplica own) {
          return true;
        }
      };

  /** Takes a replica of the right length for equal, whatever is in it. */
  static final MemberRules TRUSTS_LENGTHS =
      new MemberRules() {
        @Override
        public boolean isEqual(SegmentEnd agreed, OwnReplica own) {
          return own.length() == agreed.length();
        }
      };

  // ---- the chain ----

  /** Accepts a payload that was altered on its way. */
  static final MemberRules IGNORES_PAYLOAD_CRC =
      new MemberRules() {
        @Override
        public boolean isIntact(LogRecord r, ByteBuffer payload) {
          return (payload == null ? 0 : payload.remaining()) == r.payloadLength();
        }
      };

  /** Puts unchecked signatures into a certificate. */
  static final MemberRules TRUSTS_SIGNATURES =
      new MemberRules() {
        @Override
        public boolean isSignedByAllBefore(
            LogRecord r, List<String> before, List<byte[]> signatures, Signer signer) {
          return signatures.size() == before.size();
        }
      };

  /** Believes M0 about what a session has asked for. */
  static final MemberRules TRUSTS_PRIMARY =
      new MemberRules() {
        @Override
        public boolean isFromSession(
            LogRequest request, long mountEpoch, byte[] signature, Signer signer) {
          return true;
        }
      };

  /** Takes what a session has signed for any region. */
  static final MemberRules TAKES_FOR_ANY_REGION =
      new MemberRules() {
        @Override
        public boolean isFromSession(
            LogRequest request, long mountEpoch, byte[] signature, Signer signer) {
          return IntStream.range(0, MOST_REGIONS)
              .mapToObj(r -> new RegionId(request.region().volume(), r))
              .map(
                  r ->
                      new LogRequest(
                          request.type(),
                          r,
                          request.epoch(),
                          request.content(),
                          request.payloadCrc()))
              .anyMatch(r -> r.isSigned(mountEpoch, signature, signer));
        }
      };

  /** Accepts any certificate. */
  static final MemberRules TRUSTS_CERTIFICATES =
      new MemberRules() {
        @Override
        public boolean isCertified(
            LogRecord r, List<String> members, List<byte[]> signatures, Signer signer) {
          return signatures.size() == members.size()
              && signatures.stream().allMatch(s -> s.length == Signer.BYTES);
        }
      };

  /** Answers from its tree, and caches the answer, before it has read the tree whole. */
  static final MemberRules TELLS_HALF_READ_ROOT =
      new MemberRules() {
        @Override
        public boolean mayTellRoot(boolean replayed) {
          return true;
        }
      };

  // ---- the lane leader ----

  /** Commits a batch without the confirmation of the batch before. */
  public static final MemberRules COMMITS_UNCONFIRMED =
      new MemberRules() {
        @Override
        public boolean isConfirmed(SubBatch batch, long committed) {
          return true;
        }
      };

  /** Commits with the first vote. */
  static final MemberRules COMMITS_WITHOUT_ALL_VOTES =
      new MemberRules() {
        @Override
        public boolean hasAllVotes(SubBatch batch, Map<Integer, Vote> yes) {
          return true;
        }
      };

  /** Counts the votes of members that were replaced. */
  static final MemberRules COUNTS_VOTES_OF_OTHER_EPOCHS =
      new MemberRules() {
        @Override
        public boolean isOn(Vote v, SubBatch batch) {
          return v.view() == batch.view() && v.last() == batch.last();
        }
      };

  /** Treats NO as YES. */
  static final MemberRules IGNORES_NO =
      new MemberRules() {
        @Override
        public boolean isYes(Vote v) {
          return true;
        }
      };

  // ---- reads ----

  /** Serves reads before the PUT that they name is committed. */
  static final MemberRules READS_EARLY =
      new MemberRules() {
        @Override
        public boolean mayServe(long prevNum, long watermark, long acked) {
          return true;
        }
      };

  // ---- effects ----

  private interface Change {
    List<MemberEffect> instead(MemberEvents of, MemberEffect e);
  }

  private static MemberMaker effects(Change change) {
    return (spec, seat, signer, config) ->
        new ForwardingMember(new RegionMember(spec, seat, signer, config)) {
          @Override
          protected List<MemberEffect> change(List<MemberEffect> effects, long now) {
            List<MemberEffect> out = new ArrayList<>();
            effects.forEach(e -> out.addAll(change.instead(this, e)));
            return out;
          }
        };
  }

  /** Votes before the DataNode has confirmed. */
  static final MemberMaker VOTES_BEFORE_DURABLE =
      effects(
          (member, e) -> {
            List<MemberEffect> out = new ArrayList<>(List.of(e));
            if (e instanceof MemberEffect.Append a) {
              out.addAll(
                  member.onDurable(
                      a.at().plus(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum()), 0));
            }
            return out;
          });

  /** Never asks for an fsync. */
  static final MemberMaker NEVER_SYNCS =
      effects(
          (member, e) ->
              List.of(
                  e instanceof MemberEffect.Append a
                      ? new MemberEffect.Append(a.at(), a.bytes(), false)
                      : e));

  /** Shows the NameNode an invalid certificate. */
  static final MemberMaker SHOWS_WRONG_PERMISSION =
      effects(
          (member, e) -> {
            if (e instanceof MemberEffect.CreateSegment c) {
              byte[] permission = c.permission().clone();
              permission[permission.length - 1] ^= 1;
              return List.of(new MemberEffect.CreateSegment(c.segment(), permission));
            }
            return List.of(e);
          });

  /** Merges checkpoints so that the oldest version of a block wins. */
  static final MemberMaker COMPACTS_BACKWARDS =
      effects(
          (member, e) -> {
            if (e instanceof MemberEffect.Compact c) {
              List<Long> inputs = new ArrayList<>(c.inputs());
              Collections.reverse(inputs);
              return List.of(
                  new MemberEffect.Compact(c.checkpoint(), c.level(), inputs, c.oldest()));
            }
            return List.of(e);
          });

  /** Leaves the newest checkpoint out of a compaction. */
  static final MemberMaker COMPACTS_WITHOUT_NEWEST =
      effects(
          (member, e) ->
              List.of(
                  e instanceof MemberEffect.Compact c
                      ? new MemberEffect.Compact(
                          c.checkpoint(),
                          c.level(),
                          c.inputs().subList(1, c.inputs().size()),
                          c.oldest())
                      : e));

  /** Looks blocks up in the oldest checkpoint first. */
  static final MemberMaker READS_OLDEST_CHECKPOINT =
      effects(
          (member, e) -> {
            if (e instanceof MemberEffect.ServeGet g) {
              List<Long> ids = new ArrayList<>(g.checkpoints());
              Collections.reverse(ids);
              return List.of(
                  new MemberEffect.ServeGet(
                      g.to(), g.id(), g.lane(), g.first(), g.count(), g.pieces(), ids));
            }
            return List.of(e);
          });

  /** Reports to a mount neither what is acknowledged nor what is durable. */
  static final MemberMaker FORGETS_WATERMARK =
      effects(
          (member, e) -> {
            if (e instanceof Send s && s.message() instanceof MountReply m) {
              LogSummary l = m.summary();
              LogSummary less = new LogSummary(Durable.NOTHING, 0, l.prepared());
              return List.of(
                  new Send(
                      s.to(), new MountReply(m.epoch(), m.lane(), m.mountEpoch(), less), null));
            }
            return List.of(e);
          });

  // ---- opening ----

  private interface Scan {
    List<SegmentEnd> told(List<SegmentEnd> found);
  }

  private static MemberMaker scan(Scan how) {
    return (spec, seat, signer, config) ->
        new ForwardingMember(new RegionMember(spec, seat, signer, config)) {
          @Override
          public List<MemberEffect> onScanned(LogScan.Found found, long now) {
            return super.onScanned(
                new LogScan.Found(
                    how.told(found.ends()), found.elsewhere(), found.proven(), found.before()),
                now);
          }
        };
  }

  /** Begins an epoch without the newest segment of the one before. */
  static final MemberMaker FORGETS_NEWEST_SEGMENT =
      scan(
          ends ->
              ends.stream()
                  .map(
                      s ->
                          s.equals(ends.get(ends.size() - 1)) && ends.size() > 1
                              ? new SegmentEnd(s.segment(), 0)
                              : s)
                  .toList());

  /** Reports every checkpoint as different from the one that it built. */
  static MemberEvents buildsOtherCheckpoints(
      VolumeSpec spec, Seat seat, Signer signer, MemberConfig config) {
    return new ForwardingMember(new RegionMember(spec, seat, signer, config)) {
      @Override
      public List<MemberEffect> onBuilt(
          long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
        return super.onBuilt(checkpoint, length, crc + 1, roots, now);
      }
    };
  }
}
