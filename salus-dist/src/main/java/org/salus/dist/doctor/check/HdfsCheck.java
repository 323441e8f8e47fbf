package org.salus.dist.doctor.check;

import java.io.IOException;
import org.salus.core.Reason;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.HdfsState;

/** An HDFS that takes no changes, or is about to lose its name space. */
final class HdfsCheck extends Check {
  HdfsCheck() {
    super("hdfs", "HDFS takes changes, and the NameNode's own directories work");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    HdfsState hdfs = cluster.hdfs();
    if (!hdfs.safeMode().isEmpty() && !isOfStandby(hdfs, cluster)) {
      findings.problem(
          Reason.SAFE_MODE.words() + ": " + hdfs.safeMode().lines().findFirst().orElse("").strip(),
          "start the DataNodes that are missing and wait; run 'hdfs dfsadmin -safemode leave' only"
              + " if somebody has turned it on, or if blocks are lost for good");
    }
    for (String lost : hdfs.lostDirectories()) {
      findings.problem(
          "the NameNode has lost its directory " + lost,
          "mend that disk, and run 'hdfs dfsadmin -restoreFailedStorage true' or restart the"
              + " NameNode");
    }
  }

  /** A standby has a safe mode of its own, which keeps nobody from changes. */
  private static boolean isOfStandby(HdfsState hdfs, Cluster cluster) throws IOException {
    return cluster.nameNodes().stream()
        .anyMatch(n -> n.node().equals(hdfs.nameNode()) && !n.state().isEmpty() && !n.isActive());
  }
}
