package org.salus.regionserver;

import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.MemberEvents;
import org.salus.core.member.Seat;

/** Makes the region members of a server. Called by any thread. */
public interface MemberFactory {
  MemberEvents create(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config);
}
