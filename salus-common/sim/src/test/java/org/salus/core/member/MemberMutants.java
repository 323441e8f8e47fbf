package org.salus.core.member;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogScan;
import org.salus.core.log.LogState;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Vote;
import org.salus.sim.parts.MemberMaker;

/** Members with a planted bug. */
public final class MemberMutants {

  private MemberMutants() {}

  // ---- the chain ----

  private interface Chain {
    ChainMember make(RegionContext context, ReadService reads, PageLoader loader);
  }

  private static MemberMaker chain(Chain how) {
    return (spec, region, epoch, members, place, signer, config) ->
        new RegionMember(spec, region, epoch, members, place, signer, config) {
          @Override
          ChainMember newChain(RegionContext context, ReadService reads, PageLoader loader) {
            return how.make(context, reads, loader);
          }
        };
  }

  /** Accepts a sub-batch whatever stands before it in the region. */
  public static final MemberMaker SKIPS_PREV_NUM =
      chain(
          (context, reads, loader) ->
              new ChainMember(context, reads, loader) {
                @Override
                LogState.No check(SubBatch b) {
                  LogState.No no = super.check(b);
                  return no != null
                          && no.why() == Refusal.OUT_OF_ORDER
                          && b.mountEpoch() == context.log.mountEpoch()
                      ? null
                      : no;
                }
              });

  /** Accepts a payload that was altered on its way. */
  public static final MemberMaker IGNORES_PAYLOAD_CRC =
      chain(
          (context, reads, loader) ->
              new ChainMember(context, reads, loader) {
                @Override
                boolean intact(LogRecord r, ByteBuffer payload) {
                  return (payload == null ? 0 : payload.remaining()) == r.payloadLength();
                }
              });

  /** Puts signatures into a certificate that it has not looked at. */
  public static final MemberMaker TRUSTS_SIGNATURES =
      chain(
          (context, reads, loader) ->
              new ChainMember(context, reads, loader) {
                @Override
                boolean isSignedByThoseBefore(LogRecord r, List<byte[]> signatures) {
                  return signatures.size() == context.place;
                }
              });

  /** Takes M0's word for what a session has asked for. */
  public static final MemberMaker TRUSTS_PRIMARY =
      chain(
          (context, reads, loader) ->
              new ChainMember(context, reads, loader) {
                @Override
                boolean isSessions(long mountEpoch, LogRecord r) {
                  return true;
                }
              });

  /** Takes any certificate. */
  public static final MemberMaker TRUSTS_CERTIFICATES =
      chain(
          (context, reads, loader) ->
              new ChainMember(context, reads, loader) {
                @Override
                void onCertified(Position at, List<byte[]> signatures) {
                  Entry e = context.tail.find(at);
                  if (e != null
                      && e.certificate == null
                      && signatures.size() == context.members.size()
                      && signatures.stream().allMatch(s -> s.length == Signer.BYTES)) {
                    e.certificate = signatures;
                    context.tail.append(context.out);
                  }
                }
              });

  /** Looks at its tree, and keeps what it finds, before it has read all that is in it. */
  public static final MemberMaker TELLS_HALF_READ_ROOT =
      (spec, region, epoch, members, place, signer, config) ->
          new RegionMember(spec, region, epoch, members, place, signer, config) {
            @Override
            boolean isIndexed() {
              return true;
            }
          };

  // ---- the batch leader ----

  private interface Leader {
    LaneLeader make(RegionId region, int lane, Signer signer);
  }

  private static MemberMaker leader(Leader how) {
    return (spec, region, epoch, members, place, signer, config) ->
        new RegionMember(spec, region, epoch, members, place, signer, config) {
          @Override
          LaneLeader newLeader(RegionId of, int lane, Signer by) {
            return how.make(of, lane, by);
          }
        };
  }

  /** Commits a batch without the confirmation of the batch before. */
  public static final MemberMaker COMMITS_UNCONFIRMED =
      leader(
          (region, lane, signer) ->
              new LaneLeader(region, lane, signer) {
                @Override
                boolean isConfirmed(SubBatch batch) {
                  return true;
                }
              });

  /** Commits with the first vote. */
  public static final MemberMaker COMMITS_WITHOUT_ALL_VOTES =
      leader(
          (region, lane, signer) ->
              new LaneLeader(region, lane, signer) {
                @Override
                boolean mayCommit(SubBatch batch, Map<Integer, Vote> yes) {
                  return isConfirmed(batch);
                }
              });

  /** Takes NO for YES. */
  public static final MemberMaker IGNORES_NO =
      leader(
          (region, lane, signer) ->
              new LaneLeader(region, lane, signer) {
                @Override
                void vote(Vote v, Outbox out) {
                  super.vote(
                      new Vote(
                          v.region(),
                          v.lane(),
                          v.mountEpoch(),
                          v.view(),
                          v.first(),
                          v.last(),
                          null,
                          v.signature()),
                      out);
                }
              });

  // ---- reads and the log's meaning ----

  /** Serves reads before what they name is committed. */
  public static final MemberMaker READS_EARLY =
      (spec, region, epoch, members, place, signer, config) ->
          new RegionMember(spec, region, epoch, members, place, signer, config) {
            @Override
            ReadService newReads(RegionContext context, PageLoader loader) {
              return new ReadService(context, loader) {
                @Override
                long reached() {
                  return Long.MAX_VALUE;
                }
              };
            }
          };

  /** Reads another meaning into its log. */
  public static MemberMaker log(Supplier<LogState> how) {
    return (spec, region, epoch, members, place, signer, config) ->
        new RegionMember(spec, region, epoch, members, place, signer, config) {
          @Override
          LogState newLog() {
            return how.get();
          }
        };
  }

  // ---- what is asked of the host ----

  private interface Change {
    List<MemberEffect> instead(RegionMember of, MemberEffect e);
  }

  private static MemberMaker effects(Change change) {
    return (spec, region, epoch, members, place, signer, config) ->
        new RegionMember(spec, region, epoch, members, place, signer, config) {
          private List<MemberEffect> all(List<MemberEffect> effects) {
            List<MemberEffect> out = new ArrayList<>();
            effects.forEach(e -> out.addAll(change.instead(this, e)));
            return out;
          }

          @Override
          public List<MemberEffect> onMessage(
              Endpoint from, Message m, ByteBuffer payload, long now) {
            return all(super.onMessage(from, m, payload, now));
          }

          @Override
          public List<MemberEffect> onDurable(Position end, long now) {
            return all(super.onDurable(end, now));
          }

          @Override
          public List<MemberEffect> onTick(long now) {
            return all(super.onTick(now));
          }
        };
  }

  /** Votes when the DataNode has not confirmed yet. */
  public static final MemberMaker VOTES_BEFORE_DURABLE =
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
  public static final MemberMaker NEVER_SYNCS =
      effects(
          (member, e) ->
              List.of(
                  e instanceof MemberEffect.Append a
                      ? new MemberEffect.Append(a.at(), a.bytes(), false)
                      : e));

  /** Shows the NameNode a certificate that is not one. */
  public static final MemberMaker SHOWS_WRONG_PERMISSION =
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
  public static final MemberMaker COMPACTS_BACKWARDS =
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
  public static final MemberMaker COMPACTS_WITHOUT_NEWEST =
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
  public static final MemberMaker READS_OLDEST_CHECKPOINT =
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

  // ---- opening ----

  private interface Scan {
    List<SegmentEnd> told(List<SegmentEnd> found);
  }

  private static MemberMaker scan(Scan how) {
    return (spec, region, epoch, members, place, signer, config) ->
        new RegionMember(spec, region, epoch, members, place, signer, config) {
          @Override
          public List<MemberEffect> onScanned(LogScan.Found found, long now) {
            return super.onScanned(
                new LogScan.Found(how.told(found.ends()), found.elsewhere(), found.proven()), now);
          }
        };
  }

  /** An epoch begins without the newest segment of the one before. */
  public static final MemberMaker FORGETS_NEWEST_SEGMENT =
      scan(
          ends ->
              ends.stream()
                  .map(
                      s ->
                          s == ends.get(ends.size() - 1) && ends.size() > 1
                              ? new SegmentEnd(s.segment(), 0)
                              : s)
                  .toList());

  /** Tells of every checkpoint that it is another one than it built. */
  public static RegionMember buildsOtherCheckpoints(
      VolumeSpec spec,
      RegionId region,
      int epoch,
      List<String> members,
      int place,
      Signer signer,
      MemberConfig config) {
    return new RegionMember(spec, region, epoch, members, place, signer, config) {
      @Override
      public List<MemberEffect> onBuilt(
          long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
        return super.onBuilt(checkpoint, length, crc + 1, roots, now);
      }
    };
  }
}
