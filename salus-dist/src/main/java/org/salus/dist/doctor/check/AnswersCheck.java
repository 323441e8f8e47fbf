package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Role;

/** Daemons that hang, or whose info server cannot be read. */
final class AnswersCheck extends Check {
  AnswersCheck() {
    super("answers", "the info server of every daemon answers");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<Daemon> daemons = cluster.daemons();
    for (Daemon d : daemons) {
      if (d.answers()) {
        continue;
      }
      if (d.info().isEmpty()) {
        findings.warning(
            d.name() + " has no info server, so its settings, versions and clock are not checked",
            "set " + portKey(d.role()) + " to a port and restart it");
      } else {
        findings.problem(
            d.name() + " is not checked: " + d.silence(),
            "see whether it runs, whether its log says why it waits, and whether a firewall is between");
      }
    }
    if (daemons.stream().noneMatch(d -> d.role() == Role.REGIONSERVER)) {
      findings.problem(
          "HBase has no region server", "start the region servers, and look into their logs");
    }
  }

  /** The setting with the port of an info server, or its address. */
  static String portKey(Role role) {
    return switch (role) {
      case NAMENODE -> "dfs.namenode.http-address";
      case DATANODE -> "dfs.datanode.http.address";
      case MASTER -> "hbase.master.info.port";
      case REGIONSERVER -> "hbase.regionserver.info.port";
    };
  }
}
