package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.need.Role;

/** Region servers and DataNodes that are not beside each other, and too few pairs. */
final class PairsCheck extends Check {
  private static final int MEMBERS = 3;

  PairsCheck() {
    super(
        "pairs",
        "every region server has Salus and a DataNode beside it, and there are four pairs or more");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<SalusServer> servers = cluster.servers();
    Map<String, DataNode> nodes =
        cluster.hdfs().dataNodes().stream()
            .collect(Collectors.toMap(DataNode::transfer, Function.identity(), (a, b) -> a));
    boolean isOnlyOurs = SecretCheck.isOnlyOurs(servers);
    Set<String> used = new HashSet<>();
    int usable = 0;
    for (SalusServer s : servers) {
      DataNode node = nodes.get(s.dataNode());
      boolean isFirst = used.add(s.dataNode());
      server(s, node, isFirst, findings);
      boolean fits = s.strange().isEmpty() || isOnlyOurs;
      if (isFirst && fits && !s.drained() && node != null && node.takesReplicas()) {
        usable++;
      }
    }
    Used.of(nodes.values(), servers).forEach(n -> stale(n, findings));
    withoutSalus(cluster, servers, findings);
    enough(usable, findings);
    drained(servers, findings);
    unused(nodes.values(), used, findings);
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
    } else if (!node.live() && node.inService()) {
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

  private static void stale(DataNode n, Findings findings) {
    if (n.isStale()) {
      findings.warning(
          "the NameNode has not heard DataNode "
              + n.transfer()
              + " for "
              + n.silentSeconds()
              + " s",
          "see whether it hangs, or its network is overloaded");
    }
  }

  /** HDFS may have many that volumes do not use. */
  private static void unused(Collection<DataNode> all, Set<String> used, Findings findings) {
    String words =
        all.stream()
            .filter(n -> !used.contains(n.transfer()) || !n.inService())
            .map(n -> n.transfer() + " (" + why(n) + ")")
            .sorted()
            .collect(Collectors.joining(", "));
    if (!words.isEmpty()) {
      findings.note("volumes do not use these DataNodes: " + words);
    }
  }

  private static String why(DataNode n) {
    return !n.inService() ? n.state() : n.live() ? "no region server with Salus beside it" : "dead";
  }

  private static void drained(List<SalusServer> servers, Findings findings) {
    String words =
        servers.stream()
            .filter(SalusServer::drained)
            .map(SalusServer::node)
            .collect(Collectors.joining(", "));
    if (!words.isEmpty()) {
      findings.note(
          "these region servers are drained, and get no members until 'salus server undrain': "
              + words);
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
