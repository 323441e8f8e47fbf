package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.need.Needs;
import org.salus.dist.need.Role;
import org.salus.host.config.ClusterSettings;

/**
 * Directories from which HBase loads classes while it runs, and in which everybody may make files.
 * HBase's own defaults are so: its local directory is below {@code /tmp}.
 */
final class LoadedJarsCheck extends Check {
  /** Where everybody may make files, on machines and in HDFS. */
  private static final List<String> PUBLIC = List.of("/tmp", "/var/tmp", "/dev/shm");

  private static final String LOCAL = "hbase.local.dir";
  private static final String LOCAL_DEFAULT = "/tmp/hbase-USER/local";

  /** HBase's default, in its own directory of HDFS, is no public one. */
  private static final String SHARED = "hbase.dynamic.jars.dir";

  LoadedJarsCheck() {
    super("loaded-jars", "nobody else can have HBase's daemons run his classes");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Daemon d : cluster.daemons()) {
      boolean isOfHBase = d.role() == Role.MASTER || d.role() == Role.REGIONSERVER;
      if (isOfHBase
          && d.answers()
          && !d.answer().setting(Needs.DYNAMIC_JARS).equalsIgnoreCase("false")) {
        look(d, LOCAL, LOCAL_DEFAULT, findings);
        look(d, SHARED, "", findings);
      }
    }
  }

  private static void look(Daemon d, String key, String fallback, Findings findings) {
    String set = d.answer().setting(key);
    String dir = set.isEmpty() ? fallback : set;
    publicParent(dir)
        .ifPresent(
            parent ->
                findings.warning(
                    d.name()
                        + " loads classes from "
                        + dir
                        + " ("
                        + key
                        + "), and everybody may make files in "
                        + parent
                        + ": whoever does so before HBase runs as its user, who has "
                        + ClusterSettings.SECRET.key(),
                    "set "
                        + Needs.DYNAMIC_JARS
                        + " to false, or "
                        + key
                        + " to a directory in which only HBase's user may write, and restart the"
                        + " daemon"));
  }

  /**
   * The directory above, in which everybody may make files; empty if there is none.
   *
   * @param dir a path, or a URI of HDFS or of files
   */
  private static Optional<String> publicParent(String dir) {
    String path =
        dir.replaceFirst("^[a-z][a-z0-9+.-]*:(//[^/]*)?", "")
            .replace("${java.io.tmpdir}", PUBLIC.get(0))
            .replaceAll("/+", "/");
    return PUBLIC.stream().filter(p -> path.equals(p) || path.startsWith(p + "/")).findFirst();
  }
}
