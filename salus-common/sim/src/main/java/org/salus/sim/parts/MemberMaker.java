package org.salus.sim.parts;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;

/** Makes the members of an epoch. */
@FunctionalInterface
public interface MemberMaker {
  /**
   * @param members the nodes of the epoch's members, first member of the chain first
   * @param place the new member's place in {@code members}
   */
  RegionMember make(
      VolumeSpec spec,
      RegionId region,
      int epoch,
      List<String> members,
      int place,
      Signer signer,
      MemberConfig config);
}
