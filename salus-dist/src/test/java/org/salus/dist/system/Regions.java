package org.salus.dist.system;

import java.time.Duration;
import java.util.List;
import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.Await;

/** What tests ask of the regions of a volume. */
final class Regions {
  private Regions() {}

  /** Waits until each region of each volume serves on three members. */
  static void awaitWhole(SalusClient client, Duration patience) throws Exception {
    Await.until(
        "every region has three members",
        patience,
        () ->
            client.infos().stream()
                .flatMap(i -> i.regions().stream())
                .allMatch(r -> r.state().equals("SERVING") && r.members().size() == 3));
  }

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
