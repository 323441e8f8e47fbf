package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;
import org.salus.dist.doctor.cluster.NameNode;
import org.salus.dist.doctor.cluster.SalusServer;

/** Names of hosts that DNS does not know. */
final class NamesCheck extends Check {
  NamesCheck() {
    super("names", "the name of every host has an address");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Map<String, String> users = new TreeMap<>();
    for (Daemon d : cluster.daemons()) {
      users.put(d.host(), d.name());
    }
    for (SalusServer s : cluster.servers()) {
      users.put(Hosts.of(s.address()), "the data port of region server " + s.node());
    }
    for (NameNode n : cluster.nameNodes()) {
      users.put(Hosts.of(n.node()), n.name());
    }
    for (DataNode n : Used.of(cluster.knownDataNodes(), cluster.servers())) {
      users.put(n.host(), "DataNode " + n.transfer());
    }
    cluster
        .addresses(users.keySet())
        .forEach(
            (host, ip) -> {
              if (ip.isEmpty()) {
                findings.problem(
                    "the name " + host + " of " + users.get(host) + " is not known on this machine",
                    "put it into DNS or /etc/hosts, here and on all hosts of the cluster and of"
                        + " clients");
              }
            });
  }
}
