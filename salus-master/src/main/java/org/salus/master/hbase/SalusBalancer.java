package org.salus.master.hbase;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.HBaseIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.apache.hadoop.hbase.master.RegionPlan;
import org.apache.hadoop.hbase.master.RegionState;
import org.apache.hadoop.hbase.master.assignment.RegionStates;
import org.apache.hadoop.hbase.master.balancer.StochasticLoadBalancer;
import org.salus.host.VolumeTables;

/**
 * HBase's balancer, except that HBase replicas of a volume's region open on distinct servers. They
 * move only to separate siblings, because a move costs a copy of the region's data. Name it in
 * {@code hbase.master.loadbalancer.class}.
 */
public final class SalusBalancer extends StochasticLoadBalancer {

  @Override
  public Map<ServerName, List<RegionInfo>> roundRobinAssignment(
      List<RegionInfo> regions, List<ServerName> servers) throws HBaseIOException {
    return distinct(super.roundRobinAssignment(regions, servers), servers);
  }

  @Override
  public Map<ServerName, List<RegionInfo>> retainAssignment(
      Map<RegionInfo, ServerName> regions, List<ServerName> servers) throws HBaseIOException {
    return distinct(super.retainAssignment(regions, servers), servers);
  }

  @Override
  public ServerName randomAssignment(RegionInfo region, List<ServerName> servers)
      throws HBaseIOException {
    if (ReplicaSpread.isVolume(region)) {
      List<ServerName> free = new ArrayList<>(servers);
      free.removeAll(siblings(region).values());
      if (!free.isEmpty()) {
        return super.randomAssignment(region, free);
      }
    }
    return super.randomAssignment(region, servers);
  }

  @Override
  protected List<RegionPlan> balanceTable(TableName table, Map<ServerName, List<RegionInfo>> load) {
    List<RegionPlan> moves = new ArrayList<>(ReplicaSpread.repairs(load));
    List<RegionPlan> stock = super.balanceTable(table, load);
    if (stock != null) {
      stock.stream()
          .filter(move -> !ReplicaSpread.isVolume(move.getRegionInfo()))
          .forEach(moves::add);
    }
    return moves.isEmpty() ? null : moves;
  }

  private Map<ServerName, List<RegionInfo>> distinct(
      Map<ServerName, List<RegionInfo>> plan, List<ServerName> servers) {
    return plan == null || plan.isEmpty()
        ? plan
        : ReplicaSpread.distinct(plan, servers, this::siblings);
  }

  /** Returns the servers on which siblings are open or are being opened. */
  private Map<RegionInfo, ServerName> siblings(RegionInfo region) {
    RegionStates states = services.getAssignmentManager().getRegionStates();
    Map<RegionInfo, ServerName> found = new HashMap<>();
    for (int replica = 0; replica < VolumeTables.REPLICAS; replica++) {
      RegionInfo sibling = RegionReplicaUtil.getRegionInfoForReplica(region, replica);
      RegionState state = replica == region.getReplicaId() ? null : states.getRegionState(sibling);
      if (state != null
          && state.getServerName() != null
          && (state.isOpened() || state.isOpening())) {
        found.put(sibling, state.getServerName());
      }
    }
    return found;
  }
}
