package org.salus.dist.doctor.check;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.salus.dist.doctor.cluster.Cluster;
import org.salus.dist.doctor.cluster.HdfsState.DataNode;

/** DataNodes that are full or soon will be, and for how much there is room. */
final class SpaceCheck extends Check {
  private static final long GIB = 1L << 30;

  /** Less does not last: HDFS keeps room for blocks that are being written. */
  private static final long LEAST = 3 * GIB;

  private static final int LEAST_PERCENT = 10;
  private static final int REPLICAS = 3;

  /** What a block in use takes on each of its DataNodes while a volume is quiet. */
  private static final int QUIET = 2;

  SpaceCheck() {
    super("space", "the disks of DataNodes that volumes use have room");
  }

  @Override
  protected void look(Cluster cluster, Findings findings) throws IOException {
    List<DataNode> used = Used.of(cluster.hdfs().dataNodes(), cluster.servers());
    for (DataNode n : used) {
      String left =
          "DataNode "
              + n.transfer()
              + " has room for "
              + words(n.remaining())
              + " of "
              + words(n.capacity());
      if (n.remaining() < LEAST) {
        findings.problem(
            left + ": members there soon get no new log segment, and writes fail",
            "free space on its disks, add disks, or add a DataNode with a region server");
      } else if (n.remaining() < n.capacity() / 100 * LEAST_PERCENT) {
        findings.warning(
            left, "plan for more disks, or for one more DataNode with a region server");
      }
    }
    long room = used.stream().filter(DataNode::takesReplicas).mapToLong(DataNode::remaining).sum();
    if (!used.isEmpty()) {
      findings.note(
          "there is room for about "
              + words(room / REPLICAS / QUIET)
              + " of new data in quiet volumes, and for half of that if they are overwritten without"
              + " a pause");
    }
  }

  /** A number of bytes for people. */
  static String words(long bytes) {
    return bytes < GIB
        ? (bytes >> 20) + " MiB"
        : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / GIB);
  }
}
