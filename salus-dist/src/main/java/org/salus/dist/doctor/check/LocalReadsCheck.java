package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.InfoAnswer;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.dist.need.NeededJars;
import org.salus.dist.need.Needs;
import org.salus.dist.need.Role;

/** Region servers that cannot read their replicas from the disk, or only slowly. */
final class LocalReadsCheck extends Check {
  LocalReadsCheck() {
    super(
        "local-reads",
        "region servers may read the files of their DataNode, and read from the page cache");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    Map<String, Daemon> servers = new HashMap<>();
    Map<String, Daemon> dataNodes = new HashMap<>();
    for (Daemon d : cluster.daemons()) {
      if (d.answers() && d.role() == Role.REGIONSERVER) {
        servers.put(d.node(), d);
        pageCache(d, findings);
      } else if (d.answers() && d.role() == Role.DATANODE) {
        dataNodes.put(d.node(), d);
      }
    }
    for (SalusServer s : cluster.servers()) {
      Daemon server = servers.get(s.node());
      Daemon dataNode = dataNodes.get(s.dataNode());
      if (server != null && dataNode != null) {
        allowed(server.answer(), dataNode, findings);
      }
    }
  }

  private static void pageCache(Daemon d, Findings findings) {
    if (d.answer().version(NeededJars.PAGE_CACHE).isEmpty()) {
      findings.warning(
          d.name()
              + " has no jna on its class path, so every read wakes a thread, even if the page cache"
              + " has the bytes",
          "put the jar jna of Salus' lib/server on its class path and restart it");
    }
  }

  private static void allowed(InfoAnswer server, Daemon dataNode, Findings findings) {
    boolean isKerberos = server.setting("hadoop.security.authentication").equals("kerberos");
    if (!isKerberos
        && !Needs.localReader(server.user())
            .isMetBy(dataNode.answer().setting(Needs.LOCAL_READERS))) {
      findings.problem(
          dataNode.name()
              + " lets '"
              + dataNode.answer().setting(Needs.LOCAL_READERS)
              + "' read its files, and the region server beside it runs as "
              + server.user(),
          "add "
              + server.user()
              + " to "
              + Needs.LOCAL_READERS
              + " of the DataNode and restart it");
    }
  }
}
