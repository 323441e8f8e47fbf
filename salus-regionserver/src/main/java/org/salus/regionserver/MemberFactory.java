package org.salus.regionserver;

import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.event.MemberEvents;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.Seat;

/** Makes the region members of a server. Any thread may call it. */
public interface MemberFactory {
  /** Makes the member at a seat of an epoch. Nobody else uses the signer. */
  MemberEvents create(VolumeSpec spec, Seat seat, Signer signer, MemberConfig config);
}
