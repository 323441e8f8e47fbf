package org.salus.benchmarks.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.salus.benchmarks.figures.cluster.FigureServers;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.cli.ClusterOptions;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.config.ClientSettings;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** A figure that can also be measured on a cluster that runs already. */
abstract class BenchFigureAnywhere extends BenchFigure {
  @Option(
      names = "--conf",
      paramLabel = "FILE",
      description = {
        "Measures a cluster that runs already, and has these settings, such as conf/cluster.xml; what is made there is removed at the end.",
        "Without it a cluster of its own."
      })
  private Path conf;

  abstract BenchResult measure(FigureServers on, boolean quick, Consumer<String> progress)
      throws IOException;

  @Override
  final BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException {
    return measure(FigureServers.own(cluster), quick, progress);
  }

  @Override
  final BenchResult measured(boolean quick, Consumer<String> progress) throws IOException {
    if (conf == null) {
      return super.measured(quick, progress);
    }
    if (data() != null) {
      throw new ParameterException(
          spec.commandLine(),
          "--data is where a cluster of its own would be: leave it out, or --conf");
    }
    Map<String, String> client = ClusterOptions.read(conf);
    if (!client.containsKey(ClientSettings.QUORUM.key())) {
      throw new IOException(
          conf
              + " does not set "
              + ClientSettings.QUORUM.key()
              + ", host:port of the cluster's ZooKeeper");
    }
    return measure(FigureServers.running(client), quick, progress);
  }
}
