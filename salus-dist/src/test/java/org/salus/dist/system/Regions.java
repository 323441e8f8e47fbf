package org.salus.dist.system;

import java.util.List;
import org.salus.client.VolumeInfo;

/** What tests ask of the regions of a volume. */
final class Regions {
  private Regions() {}

  /** Whether each region serves on three members, none of them on this DataNode. */
  static boolean areWholeWithout(VolumeInfo info, String dataNode) {
    return info.regions().stream()
        .allMatch(
            r -> {
              List<String> members = r.members().stream().map(m -> m.dataNode()).toList();
              return r.state().equals("SERVING")
                  && members.size() == 3
                  && !members.contains(dataNode);
            });
  }
}
