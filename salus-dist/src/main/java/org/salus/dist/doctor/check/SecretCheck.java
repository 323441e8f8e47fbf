package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.SalusServer;
import org.salus.host.config.ClusterSettings;

/**
 * Secrets that are missing or differ. A daemon does not show its secret. Region servers show a
 * signature; of the others it can be seen only that they have none.
 */
final class SecretCheck extends Check {
  private static final String KEY = ClusterSettings.SECRET.key();
  private static final String STRANGE = "salus_servers{state=\"strange\"}";

  SecretCheck() {
    super("secret", "everybody has the same " + KEY + ", and it is not empty");
  }

  /** Whether all servers have another secret than this program, so that nothing is wrong there. */
  static boolean isOnlyOurs(List<SalusServer> servers) {
    return !servers.isEmpty() && servers.stream().allMatch(SalusServer::hasOtherSecret);
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<SalusServer> servers = cluster.servers();
    if (isOnlyOurs(servers)) {
      findings.problem(
          "this program's " + KEY + " is not that of the servers",
          "give it the file of clients by --conf");
    } else {
      servers.stream()
          .filter(s -> !s.strange().isEmpty())
          .forEach(s -> findings.problem("region server " + s.node() + " " + s.strange(), ""));
    }
    List<SalusServer> open = servers.stream().filter(SalusServer::open).toList();
    if (!open.isEmpty() && open.size() == servers.size()) {
      findings.warning(
          "the servers have no " + KEY + ", so whoever reaches them can sign as anybody",
          "put 32 random characters into the settings of all daemons and clients, and restart all");
    }
    for (Daemon d : cluster.daemons()) {
      if (d.answers() && open.size() < servers.size() && !d.answer().settings().containsKey(KEY)) {
        findings.problem(
            d.name() + " has no " + KEY + ", and region servers have one",
            "give it that of the region servers, and restart it");
      }
      if (d.answers() && d.active() && d.answer().metrics().getOrDefault(STRANGE, 0.0) > 0) {
        findings.problem(
            d.name() + " leaves out region servers of another version or secret",
            "its log names them; give all the same " + KEY + " and version of Salus");
      }
    }
  }
}
