package org.salus.benchmarks.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.BenchResult;
import org.salus.dist.cli.Logging;
import org.salus.dist.cli.Salus;
import org.salus.dist.hbase.LocalCluster;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** A benchmark that needs a cluster of processes of its own, which it removes afterwards. */
abstract class BenchOnCluster implements Callable<Integer> {
  @ParentCommand private BenchCommand bench;

  @Spec CommandSpec spec;

  @Option(names = "--quick", description = "Fewer runs, and less data.")
  private boolean quick;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "An empty directory for the cluster (default: a temporary one).")
  private Path data;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Also write every result to files in this directory.")
  private Path out;

  private Scratch scratch;
  private LocalCluster cluster;

  /** Starts the cluster and measures. */
  abstract BenchResult measure(LocalCluster cluster, boolean quick, Consumer<String> progress)
      throws IOException;

  /** The cluster to measure, in a directory of its own. It is not started. */
  LocalCluster cluster(Path dir) {
    return new LocalCluster(dir);
  }

  @Override
  public Integer call() throws IOException {
    BenchCommand.makeOut(out);
    Thread hook = new Thread(this::cleanUp, "salus-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Logging.quiet(bench.verbose());
      BenchResult found = measured(quick, this::say);
      PrintWriter result = spec.commandLine().getOut();
      result.println(found.table());
      result.flush();
      BenchEnvironment environment = BenchEnvironment.here("-", "cluster of processes");
      say(environment.toString());
      if (out != null) {
        for (Path file : found.write(out, BenchCommand.stamped(spec.name()), environment)) {
          say("wrote " + file);
        }
      }
    } finally {
      cleanUp();
    }
    return 0;
  }

  /** Makes the cluster and measures it. */
  BenchResult measured(boolean quick, Consumer<String> progress) throws IOException {
    synchronized (this) {
      scratch = Scratch.open(data);
      cluster = cluster(scratch.path().resolve("cluster"));
    }
    return measure(cluster, quick, progress);
  }

  /** The value of {@code --data}, or null. */
  final Path data() {
    return data;
  }

  final void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  /** Cleans up at the end, or when a signal ends the process. */
  private synchronized void cleanUp() {
    try {
      if (cluster != null) {
        cluster.kill();
        cluster = null;
      }
      if (scratch != null) {
        scratch.close();
        scratch = null;
      }
    } catch (IOException failed) {
      say("cannot remove the cluster in " + scratch.path() + ": " + failed.getMessage());
    }
  }
}
