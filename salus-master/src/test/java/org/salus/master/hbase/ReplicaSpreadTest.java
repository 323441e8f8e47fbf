package org.salus.master.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.master.RegionPlan;
import org.junit.jupiter.api.Test;
import org.salus.host.VolumeTables;

class ReplicaSpreadTest {
  private static final List<ServerName> SERVERS =
      List.of(server(1), server(2), server(3), server(4));

  @Test
  void aGoodPlanStaysAsItIs() {
    Map<ServerName, List<RegionInfo>> plan = plan();
    plan.get(server(1)).add(replica(0, 0));
    plan.get(server(2)).add(replica(0, 1));
    plan.get(server(3)).add(replica(0, 2));
    assertThat(ReplicaSpread.distinct(plan, SERVERS, region -> Map.of())).isEqualTo(plan);
  }

  @Test
  void aReplicaIsKeptOffTheServerOfAnOpenSibling() {
    Map<ServerName, List<RegionInfo>> plan = plan();
    plan.get(server(1)).add(replica(0, 2));
    Map<RegionInfo, ServerName> open = Map.of(replica(0, 0), server(1), replica(0, 1), server(2));
    Map<ServerName, List<RegionInfo>> result =
        ReplicaSpread.distinct(plan, SERVERS, region -> open);
    assertThat(result.get(server(1))).isEmpty();
    assertThat(result.get(server(3))).containsExactly(replica(0, 2));
  }

  @Test
  void aReplicaWithoutAServerLeftIsParkedWhereItWas() {
    Map<ServerName, List<RegionInfo>> plan = plan();
    plan.get(server(1)).add(replica(0, 2));
    Map<RegionInfo, ServerName> open = Map.of(replica(0, 0), server(1), replica(0, 1), server(2));
    assertThat(ReplicaSpread.distinct(plan, SERVERS.subList(0, 2), region -> open).get(server(1)))
        .containsExactly(replica(0, 2));
  }

  @Test
  void ordinaryTablesAreLeftAlone() {
    RegionInfo first =
        RegionInfoBuilder.newBuilder(TableName.valueOf("plain")).setReplicaId(0).build();
    RegionInfo second =
        RegionInfoBuilder.newBuilder(TableName.valueOf("plain")).setReplicaId(1).build();
    Map<ServerName, List<RegionInfo>> plan = plan();
    plan.get(server(1)).addAll(List.of(first, second));
    assertThat(ReplicaSpread.distinct(plan, SERVERS, region -> Map.of())).isEqualTo(plan);
    assertThat(ReplicaSpread.repairs(plan)).isEmpty();
  }

  @Test
  void aParkedReplicaMovesWhenAServerJoins() {
    Map<ServerName, List<RegionInfo>> load = plan();
    load.get(server(1)).addAll(List.of(replica(0, 0), replica(0, 2)));
    load.get(server(2)).add(replica(0, 1));
    List<RegionPlan> moves = ReplicaSpread.repairs(load);
    assertThat(moves)
        .singleElement()
        .satisfies(
            move -> {
              assertThat(move.getRegionInfo()).isEqualTo(replica(0, 2));
              assertThat(move.getSource()).isEqualTo(server(1));
              assertThat(move.getDestination()).isIn(server(3), server(4));
            });
    load.remove(server(3));
    load.remove(server(4));
    assertThat(ReplicaSpread.repairs(load)).isEmpty();
  }

  @Test
  void anyPlanEndsWithSiblingsApartAndNothingLost() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      Map<ServerName, List<RegionInfo>> plan = plan();
      List<RegionInfo> all = new ArrayList<>();
      for (int region = 0; region < 1 + random.nextInt(8); region++) {
        for (int replica = 0; replica < 3; replica++) {
          all.add(replica(region, replica));
          plan.get(SERVERS.get(random.nextInt(SERVERS.size()))).add(replica(region, replica));
        }
      }
      Map<ServerName, List<RegionInfo>> result =
          ReplicaSpread.distinct(plan, SERVERS, region -> Map.of());
      assertThat(result.values().stream().flatMap(List::stream))
          .as("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(all);
      assertApart(seed, result);
      Map<ServerName, List<RegionInfo>> repaired = new HashMap<>();
      plan.forEach((server, regions) -> repaired.put(server, new ArrayList<>(regions)));
      for (RegionPlan move : ReplicaSpread.repairs(plan)) {
        assertThat(repaired.get(move.getSource()).remove(move.getRegionInfo())).isTrue();
        repaired.get(move.getDestination()).add(move.getRegionInfo());
      }
      assertApart(seed, repaired);
    }
  }

  private static void assertApart(long seed, Map<ServerName, List<RegionInfo>> load) {
    load.forEach(
        (server, regions) -> {
          Set<Integer> seen = new HashSet<>();
          for (RegionInfo region : regions) {
            assertThat(seen.add(VolumeTables.region(region.getStartKey())))
                .as("seed %d, %s", seed, region)
                .isTrue();
          }
        });
  }

  private static Map<ServerName, List<RegionInfo>> plan() {
    Map<ServerName, List<RegionInfo>> plan = new LinkedHashMap<>();
    SERVERS.forEach(server -> plan.put(server, new ArrayList<>()));
    return plan;
  }

  private static ServerName server(int i) {
    return ServerName.valueOf("127.0.0." + i, 16020, 1);
  }

  private static RegionInfo replica(int region, int replica) {
    return RegionInfoBuilder.newBuilder(VolumeTable.name("v"))
        .setStartKey(VolumeTables.startKey(region))
        .setEndKey(VolumeTables.startKey(region + 1))
        .setRegionId(7)
        .setReplicaId(replica)
        .build();
  }
}
