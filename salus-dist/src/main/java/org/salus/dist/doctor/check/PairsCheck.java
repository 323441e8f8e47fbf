package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.Role;
import org.salus.dist.doctor.cluster.SalusServer;

/** Region servers and DataNodes that are not beside each other, and too few pairs. */
final class PairsCheck extends Check {
  private static final int MEMBERS = 3;

  PairsCheck() {
    super("pairs", "a region server with Salus runs beside every DataNode, and four pairs or more");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<SalusServer> servers = cluster.servers();
    Map<String, DataNode> nodes =
        cluster.hdfs().dataNodes().stream()
            .collect(Collectors.toMap(DataNode::transfer, Function.identity(), (a, b) -> a));
    Set<String> used = new HashSet<>();
    int usable = 0;
    for (SalusServer s : servers) {
      DataNode node = nodes.get(s.dataNode());
      boolean isFirst = used.add(s.dataNode());
      server(s, node, isFirst, findings);
      if (isFirst && s.strange().isEmpty() && node != null && node.takesReplicas()) {
        usable++;
      }
    }
    nodes.values().stream()
        .sorted((a, b) -> a.transfer().compareTo(b.transfer()))
        .forEach(n -> dataNode(n, used.contains(n.transfer()), findings));
    withoutSalus(cluster, servers, findings);
    enough(usable, findings);
  }

  private static void server(SalusServer s, DataNode node, boolean isFirst, Findings findings) {
    if (node == null) {
      findings.problem(
          "region server "
              + s.node()
              + " takes DataNode "
              + s.dataNode()
              + " for that of its host, and HDFS knows none of that address",
          "set salus.server.datanode of the server to the ip:port that 'hdfs dfsadmin -report' shows,"
              + " and restart it");
    } else if (!node.live()) {
      findings.problem(
          "the DataNode " + s.dataNode() + " beside region server " + s.node() + " is dead",
          "start it, or see in its log why the NameNode does not hear it");
    }
    if (!isFirst) {
      findings.problem(
          "region server " + s.node() + " and another one share DataNode " + s.dataNode(),
          "set salus.server.datanode of each to the DataNode of its own host, and restart them");
    }
  }

  private static void dataNode(DataNode n, boolean hasServer, Findings findings) {
    String name = "DataNode " + n.transfer();
    if (!n.live()) {
      if (!hasServer) {
        findings.warning(
            name + " is dead", "start it, or take it out of HDFS if it is gone for good");
      }
      return;
    }
    if (!hasServer) {
      findings.warning(
          name
              + " has no region server with Salus beside it: volumes do not use it, and replicas"
              + " on it are not checked",
          "start one on its host, or see in the log of the one there why Salus does not start");
    }
    if (!n.state().equals("In Service")) {
      findings.warning(
          name + " is not in service: " + n.state(),
          "nothing, if you take it out; members leave it if others can take their places");
    } else if (n.isStale()) {
      findings.warning(
          "the NameNode has not heard " + name + " for " + n.silentSeconds() + " s",
          "see whether it hangs, or its network is overloaded");
    }
  }

  private static void withoutSalus(Cluster cluster, List<SalusServer> servers, Findings findings)
      throws IOException {
    Set<String> registered = servers.stream().map(SalusServer::node).collect(Collectors.toSet());
    for (Daemon d : cluster.daemons()) {
      if (d.role() == Role.REGIONSERVER && !registered.contains(d.node())) {
        findings.problem(
            d.name() + " runs, but Salus does not run in it",
            "see in its log why: a setting, the port salus.server.port, ZooKeeper, or a NameNode"
                + " without a guard");
      }
    }
  }

  private static void enough(int usable, Findings findings) {
    String there =
        usable == 1 ? "only 1 region server has" : "only " + usable + " region servers have";
    if (usable < MEMBERS) {
      findings.problem(
          there + " a DataNode that takes replicas, and a region needs 3",
          "start the servers and DataNodes that are down, or more");
    } else if (usable == MEMBERS) {
      findings.warning(
          there
              + " a DataNode that takes replicas: no other one can take the place of one that is lost",
          "run one more region server with a DataNode");
    }
  }
}
