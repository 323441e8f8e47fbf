package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.SalusServer;

/** Ports that clients of volumes need. */
final class PortsCheck extends Check {
  PortsCheck() {
    super(
        "ports", "the data ports of region servers and DataNodes and the NameNode can be reached");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Map<String, String> names = new LinkedHashMap<>();
    for (SalusServer s : cluster.servers()) {
      names.put(s.address(), "data port of region server " + s.node());
    }
    for (NameNode n : cluster.nameNodes()) {
      names.put(n.node(), "port of NameNode");
    }
    for (DataNode n : cluster.knownDataNodes()) {
      if (n.live()) {
        names.put(n.transfer(), "data port of DataNode");
      }
    }
    cluster
        .unreachable(names.keySet())
        .forEach(
            (address, why) ->
                findings.problem(
                    names.get(address) + " " + address + " cannot be reached: " + why,
                    "see whether the daemon listens there and not at another address, and whether a"
                        + " firewall is between"));
  }
}
