package org.salus.regionserver;

import org.salus.core.member.MemberEvents;
import org.salus.core.member.Seat;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;

/**
 * Makes this server's region members, with the settings that all of them share. Thread-safe.
 *
 * @param maxLiveSegments of the log of one region
 * @param secret that the cluster's servers share; must not be changed
 */
record MemberMaker(MemberFactory factory, int maxLiveSegments, byte[] secret) {
  /** The member at this place of an epoch; {@code nodes} are its servers in chain order. */
  MemberEvents create(VolumeSpec spec, Seat seat) {
    return factory.create(spec, seat,
        new Signer(secret),
        new MemberConfig(MemberConfig.RESEND_AFTER_NANOS, maxLiveSegments));
  }
}
