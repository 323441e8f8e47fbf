package org.salus.regionserver;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;

/**
 * Makes this server's region members with the settings that all of them share. Thread-safe.
 *
 * @param factory makes the members
 * @param maxLiveSegments the most live segments that one region's log may have
 * @param secret the cluster's secret; the caller must not change the array
 */
record MemberMaker(MemberFactory factory, int maxLiveSegments, byte[] secret) {
  /**
   * Makes the member at this place of an epoch.
   *
   * @param nodes the epoch's servers in chain order
   */
  RegionMember create(VolumeSpec spec, RegionId region, int epoch, List<String> nodes, int place) {
    return factory.create(
        spec,
        region,
        epoch,
        nodes,
        place,
        new Signer(secret),
        new MemberConfig(MemberConfig.RESEND_AFTER_NANOS, maxLiveSegments));
  }
}
