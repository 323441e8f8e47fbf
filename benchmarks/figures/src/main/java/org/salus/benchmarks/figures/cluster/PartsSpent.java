package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import org.salus.benchmarks.figures.watch.Spent;
import org.salus.dist.hbase.Daemon;

/**
 * The processor time of a cluster's parts while something was done, in nanoseconds.
 *
 * @param client processor time of this process
 * @param server processor time of all region servers
 * @param dataNode processor time of all DataNodes
 * @param nanos how long it took
 */
public record PartsSpent(double client, double server, double dataNode, double nanos) {

  /** What is done meanwhile. */
  public interface Deed {
    void run() throws IOException;
  }

  public static PartsSpent during(OwnCluster cluster, Deed deed) throws IOException {
    long begin = System.nanoTime();
    PartsSpent before = until(cluster, begin);
    deed.run();
    PartsSpent after = until(cluster, begin);
    return new PartsSpent(
        after.client - before.client,
        after.server - before.server,
        after.dataNode - before.dataNode,
        after.nanos - before.nanos);
  }

  private static PartsSpent until(OwnCluster cluster, long begin) throws IOException {
    return new PartsSpent(
        Spent.here().cpuNanos(),
        cluster.spent(Daemon.REGIONSERVER).cpuNanos(),
        cluster.spent(Daemon.DATANODE).cpuNanos(),
        System.nanoTime() - begin);
  }

  /** The rest, without what the idle cluster would have spent in that time. */
  public PartsSpent without(PartsSpent idle) {
    double share = nanos / idle.nanos;
    return new PartsSpent(
        client - share * idle.client,
        server - share * idle.server,
        dataNode - share * idle.dataNode,
        nanos);
  }
}
