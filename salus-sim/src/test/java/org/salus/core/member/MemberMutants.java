package org.salus.core.member;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.Effect;
import org.salus.core.log.LogState;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Refusal;

/** Members with a planted bug. */
public final class MemberMutants {

  private MemberMutants() {}

  /** Accepts a sub-batch whatever stands before it in the region. */
  public static RegionMember skipsPrevNum(
      VolumeSpec spec, RegionId region, int epoch, List<String> members, int lane, Signer signer, MemberConfig config) {
    return new RegionMember(spec, region, epoch, members, lane, signer, config) {
      @Override
      ChainMember newChain(RegionContext context, ReadService reads, PageLoader loader) {
        return new ChainMember(context, reads, loader) {
          @Override
          LogState.No check(SubBatch b) {
            LogState.No no = super.check(b);
            return no != null && no.why() == Refusal.OUT_OF_ORDER && b.mountEpoch() == context.log.mountEpoch() ? null : no;
          }
        };
      }
    };
  }

  /** Commits a batch without the confirmation of the batch before. */
  public static RegionMember commitsUnconfirmed(
      VolumeSpec spec, RegionId region, int epoch, List<String> members, int lane, Signer signer, MemberConfig config) {
    return new RegionMember(spec, region, epoch, members, lane, signer, config) {
      @Override
      LaneLeader newLeader(RegionId of, int ofLane, Signer by) {
        return new LaneLeader(of, ofLane, by) {
          @Override
          boolean isConfirmed(SubBatch batch) {
            return true;
          }
        };
      }
    };
  }

  /** Tells of every checkpoint that it is another one than it built. */
  public static RegionMember buildsOtherCheckpoints(
      VolumeSpec spec, RegionId region, int epoch, List<String> members, int place, Signer signer, MemberConfig config) {
    return new RegionMember(spec, region, epoch, members, place, signer, config) {
      @Override
      public List<Effect> onBuilt(long checkpoint, long length, int crc, CheckpointBuilder.Roots roots, long now) {
        return super.onBuilt(checkpoint, length, crc + 1, roots, now);
      }
    };
  }
}
