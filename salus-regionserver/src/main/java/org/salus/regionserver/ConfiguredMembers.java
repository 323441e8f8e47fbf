package org.salus.regionserver;

import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.event.MemberEvents;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.Seat;

/**
 * Makes this server's region members with the settings that all of them share. Thread-safe.
 *
 * @param factory makes the members
 * @param maxLiveSegments the most live segments that one region's log may have
 * @param secret the cluster's secret; the caller must not change the array
 */
record ConfiguredMembers(MemberFactory factory, int maxLiveSegments, byte[] secret) {
  /** Makes the member at this place of an epoch. */
  MemberEvents create(VolumeSpec spec, Seat seat) {
    return factory.create(
        spec,
        seat,
        new Signer(secret),
        new MemberConfig(MemberConfig.RESEND_AFTER_NANOS, maxLiveSegments));
  }
}
