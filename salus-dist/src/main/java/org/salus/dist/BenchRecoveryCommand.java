package org.salus.dist;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.salus.dist.bench.BenchEnvironment;
import org.salus.dist.bench.RecoveryBench;
import org.salus.dist.bench.RecoveryBench.Extent;
import org.salus.dist.bench.RecoveryReport;
import org.salus.dist.bench.Scratch;
import org.salus.dist.cluster.LocalCluster;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus bench recovery}: servers are killed under a load of writes. */
@Command(name = "recovery", mixinStandardHelpOptions = true, sortOptions = false,
    description = {"Measures how long writes stand still when servers are killed: on a cluster of its own, every server in a process,",
        "under 4 KiB random writes. Takes about half an hour and 40 GB of disk; --quick about five minutes and 5 GB."},
    footer = {"", "Example: salus bench recovery --quick"})
final class BenchRecoveryCommand implements Callable<Integer> {
  @ParentCommand
  private BenchCommand bench;

  @Spec
  private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer runs, and less data.")
  private boolean quick;

  @Option(names = "--data", paramLabel = "DIR", description = "An empty directory for the cluster (default: a temporary one).")
  private Path data;

  @Option(names = "--out", paramLabel = "DIR", description = "Also write every result to a CSV file in this directory.")
  private Path out;

  private Scratch scratch;
  private LocalCluster cluster;

  @Override
  public Integer call() throws IOException {
    BenchCommand.makeOut(out);
    Thread hook = new Thread(this::cleanUp, "salus-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Logging.quiet(bench.verbose());
      synchronized (this) {
        scratch = Scratch.open(data);
        cluster = new LocalCluster(scratch.path().resolve("cluster"));
      }
      RecoveryReport report = new RecoveryBench(cluster, quick ? Extent.QUICK : Extent.FULL, this::say).run();
      PrintWriter result = spec.commandLine().getOut();
      result.println(report.table());
      result.flush();
      BenchEnvironment environment = BenchEnvironment.here("-", "cluster of processes");
      say(environment.toString());
      if (out != null) {
        say("wrote " + csv(report, environment));
      }
    } finally {
      cleanUp();
    }
    return 0;
  }

  private Path csv(RecoveryReport report, BenchEnvironment environment) throws IOException {
    Path file = BenchCommand.csv(out, "recovery");
    report.writeCsv(file, environment);
    return file;
  }

  private void say(String what) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("salus: " + what);
    err.flush();
  }

  /** At the end, or when a signal ends the process. */
  private synchronized void cleanUp() {
    try {
      if (cluster != null) {
        cluster.stop(step -> { });
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
