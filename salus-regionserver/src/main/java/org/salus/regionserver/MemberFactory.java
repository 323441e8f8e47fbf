package org.salus.regionserver;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;

/** Makes the region members of a server. Any thread may call it. */
public interface MemberFactory {
  /** Makes a member; the parameters are those of {@link RegionMember}'s constructor. */
  RegionMember create(
      VolumeSpec spec,
      RegionId region,
      int epoch,
      List<String> members,
      int place,
      Signer signer,
      MemberConfig config);
}
