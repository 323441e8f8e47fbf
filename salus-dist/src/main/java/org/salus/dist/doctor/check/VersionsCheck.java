package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.NeededJars;
import org.salus.dist.need.Role;

/** Versions that do not go together, by the jars on the class paths of daemons. */
final class VersionsCheck extends Check {
  /** A class path of a source tree has directories of this name instead of jars. */
  private static final String BUILT = "classes";

  VersionsCheck() {
    super("versions", "all daemons have the same versions of Salus, Hadoop and HBase");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<Daemon> answering = cluster.daemons().stream().filter(Daemon::answers).toList();
    for (Daemon d : answering) {
      if (d.answer().version(NeededJars.SALUS).isEmpty()
          && !d.answer().classPath().contains(BUILT)) {
        findings.problem(
            d.name() + " has no jar of Salus on its class path",
            "put the jars of Salus there and restart it");
      }
    }
    Map<String, String> salus = byVersion(answering, NeededJars.SALUS, Set.of(Role.values()));
    if (salus.size() > 1) {
      findings.problem(
          "there are several versions of Salus: " + words(salus),
          "stop all servers and clients, give them one version, and start them again");
    }
    mixed(answering, "hadoop-common", "Hadoop", Set.of(Role.NAMENODE, Role.DATANODE), findings);
    mixed(answering, "hbase-server", "HBase", Set.of(Role.MASTER, Role.REGIONSERVER), findings);
  }

  private static void mixed(
      List<Daemon> all, String artifact, String product, Set<Role> roles, Findings findings) {
    Map<String, String> found = byVersion(all, artifact, roles);
    if (found.size() > 1) {
      findings.warning(
          "there are several versions of " + product + ": " + words(found),
          "bring the upgrade to its end");
    }
  }

  /** The daemons by the version of an artifact. */
  private static Map<String, String> byVersion(List<Daemon> all, String artifact, Set<Role> roles) {
    return all.stream()
        .filter(d -> roles.contains(d.role()) && d.answer().version(artifact).isPresent())
        .collect(
            Collectors.groupingBy(
                d -> d.answer().version(artifact).orElseThrow(),
                TreeMap::new,
                Collectors.mapping(Daemon::name, Collectors.joining(", "))));
  }

  private static String words(Map<String, String> byVersion) {
    return byVersion.entrySet().stream()
        .map(v -> v.getKey() + " of " + v.getValue())
        .collect(Collectors.joining("; "));
  }
}
