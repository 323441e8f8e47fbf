package org.salus.benchmarks.figures.cluster;

import java.util.Map;
import java.util.function.BiFunction;
import org.salus.dist.hbase.LocalCluster;

/** The choice of a cluster, for figures that can be measured on any. Immutable. */
public final class FigureServers {
  private final BiFunction<Long, Integer, FigureCluster> cluster;

  private FigureServers(BiFunction<Long, Integer, FigureCluster> cluster) {
    this.cluster = cluster;
  }

  /** Processes of this machine, which are not started yet. */
  public static FigureServers own(LocalCluster processes) {
    return new FigureServers(
        (seed, blocks) -> new OwnCluster(processes, OwnCluster.SERVERS, seed, blocks));
  }

  /**
   * A cluster that runs already.
   *
   * @param client settings of a client of Salus, with {@code salus.zookeeper.quorum}
   */
  public static FigureServers running(Map<String, String> client) {
    return new FigureServers((seed, blocks) -> new RunningCluster(client, seed, blocks));
  }

  public FigureCluster cluster(long seed, int blocks) {
    return cluster.apply(seed, blocks);
  }
}
