package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.Daemon;
import org.salus.dist.doctor.cluster.Role;

/** Settings without which HDFS or HBase may not come back after all hosts have lost power. */
final class PowerCutsCheck extends Check {
  /**
   * A setting.
   *
   * @param fallback its value if it is not set
   * @param needed the value that it must have
   * @param without what is so otherwise
   */
  private record Need(Role role, String key, String fallback, String needed, String without) {}

  private static final List<Need> NEEDS =
      List.of(
          new Need(
              Role.DATANODE,
              "dfs.datanode.synconclose",
              "false",
              "true",
              "files that HBase has just closed may be empty, and the HBase master may not start"),
          new Need(
              Role.REGIONSERVER,
              "hbase.wal.hsync",
              "false",
              "true",
              "acknowledged rows of HBase's own tables may be lost"),
          new Need(
              Role.MASTER,
              "hbase.master.store.region.wal.hsync",
              "true",
              "true",
              "the master may forget what it was doing"),
          new Need(
              Role.NAMENODE,
              "dfs.namenode.edits.noeditlogchannelflush",
              "false",
              "false",
              "files that were made may be gone"));

  PowerCutsCheck() {
    super("power-cuts", "HDFS and HBase sync what they need after a power cut of all hosts");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    for (Need need : NEEDS) {
      Map<String, String> wrong = new TreeMap<>();
      for (Daemon d : cluster.daemons()) {
        if (d.role() == need.role() && d.answers() && !has(d, need)) {
          wrong.put(d.node(), d.name());
        }
      }
      if (!wrong.isEmpty()) {
        findings.warning(
            need.key()
                + " is not "
                + need.needed()
                + " at "
                + wrong.values().stream().collect(Collectors.joining(", "))
                + ", so after a power cut of all hosts "
                + need.without(),
            "set it to " + need.needed() + " and restart these");
      }
    }
  }

  private static boolean has(Daemon d, Need need) {
    String value = d.answer().setting(need.key());
    return (value.isEmpty() ? need.fallback() : value).equalsIgnoreCase(need.needed());
  }
}
