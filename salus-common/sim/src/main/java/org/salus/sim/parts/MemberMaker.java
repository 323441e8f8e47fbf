package org.salus.sim.parts;

import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.event.MemberEvents;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.Seat;

/** Makes the members of an epoch. */
@FunctionalInterface
public interface MemberMaker {
  MemberEvents make(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config);
}
