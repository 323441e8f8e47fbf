package org.salus.master.hbase;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.master.RegionPlan;
import org.salus.host.VolumeTables;

/**
 * The rule of placement, without any state of a master: the HBase replicas of a volume's region go
 * to distinct servers.
 */
final class ReplicaSpread {
  private ReplicaSpread() {}

  static boolean isVolume(RegionInfo region) {
    return region.getTable().getNamespaceAsString().equals(VolumeTables.NAMESPACE);
  }

  /**
   * Returns the plan with replicas moved off servers that have a sibling. A replica without another
   * free server stays where the plan has it. It opens there and waits for {@link #repairs}.
   *
   * @param plan the regions to open, by server
   * @param servers the servers to which regions may go
   * @param siblings gives the siblings of a replica and their servers now
   */
  static Map<ServerName, List<RegionInfo>> distinct(
      Map<ServerName, List<RegionInfo>> plan,
      Collection<ServerName> servers,
      Function<RegionInfo, Map<RegionInfo, ServerName>> siblings) {
    Map<ServerName, List<RegionInfo>> result = new LinkedHashMap<>();
    Map<RegionInfo, ServerName> placed = new HashMap<>();
    plan.forEach(
        (server, regions) -> {
          result.put(server, new ArrayList<>());
          regions.stream()
              .filter(ReplicaSpread::isVolume)
              .forEach(region -> placed.put(region, server));
        });
    plan.forEach(
        (server, regions) -> {
          for (RegionInfo region : regions) {
            ServerName target = server;
            if (isVolume(region)) {
              Map<RegionInfo, ServerName> now = new HashMap<>(siblings.apply(region));
              placed.forEach(
                  (other, at) -> {
                    if (isSibling(region, other)) {
                      now.put(other, at);
                    }
                  });
              target = freeServer(server, new HashSet<>(now.values()), servers, result);
              placed.put(region, target);
            }
            result.computeIfAbsent(target, added -> new ArrayList<>()).add(region);
          }
        });
    return result;
  }

  /**
   * Returns the moves that separate siblings on one server while another server has none of them.
   */
  static List<RegionPlan> repairs(Map<ServerName, List<RegionInfo>> load) {
    Map<RegionInfo, Set<ServerName>> holders = new HashMap<>();
    List<RegionPlan> moves = new ArrayList<>();
    load.forEach(
        (server, regions) ->
            regions.stream()
                .filter(ReplicaSpread::isVolume)
                .forEach(
                    region ->
                        holders
                            .computeIfAbsent(primary(region), first -> new HashSet<>())
                            .add(server)));
    Map<ServerName, List<RegionInfo>> after = new HashMap<>();
    load.forEach((server, regions) -> after.put(server, new ArrayList<>(regions)));
    load.forEach(
        (server, regions) -> {
          Set<RegionInfo> seen = new HashSet<>();
          for (RegionInfo region : regions) {
            if (!isVolume(region) || seen.add(primary(region))) {
              continue;
            }
            Set<ServerName> taken = holders.get(primary(region));
            ServerName target = freeServer(server, taken, load.keySet(), after);
            if (!target.equals(server)) {
              taken.add(target);
              after.get(target).add(region);
              moves.add(new RegionPlan(region, server, target));
            }
          }
        });
    return moves;
  }

  static boolean isSibling(RegionInfo one, RegionInfo other) {
    return one.getReplicaId() != other.getReplicaId()
        && RegionReplicaUtil.isReplicasForSameRegion(one, other);
  }

  private static RegionInfo primary(RegionInfo region) {
    return RegionReplicaUtil.getRegionInfoForDefaultReplica(region);
  }

  /**
   * Returns {@code wanted} if it is not taken, otherwise the least loaded server that is not taken.
   * If all are taken, it returns {@code wanted}.
   */
  private static ServerName freeServer(
      ServerName wanted,
      Set<ServerName> taken,
      Collection<ServerName> servers,
      Map<ServerName, List<RegionInfo>> load) {
    if (!taken.contains(wanted)) {
      return wanted;
    }
    ServerName best = wanted;
    int least = Integer.MAX_VALUE;
    for (ServerName server : servers) {
      int regions = load.getOrDefault(server, List.of()).size();
      if (!taken.contains(server) && regions < least) {
        best = server;
        least = regions;
      }
    }
    return best;
  }
}
