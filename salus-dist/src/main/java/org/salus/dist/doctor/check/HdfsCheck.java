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
    if (!hdfs.safeMode().isEmpty()) {
      findings.problem(
          Reason.SAFE_MODE.words(),
          "see why ("
              + hdfs.safeMode().lines().findFirst().orElse("").strip()
              + "), then run 'hdfs dfsadmin -safemode leave'");
    }
    for (String lost : hdfs.lostDirectories()) {
      findings.problem(
          "the NameNode has lost its directory " + lost,
          "mend that disk, and run 'hdfs dfsadmin -restoreFailedStorage true' or restart the"
              + " NameNode");
    }
  }
}
