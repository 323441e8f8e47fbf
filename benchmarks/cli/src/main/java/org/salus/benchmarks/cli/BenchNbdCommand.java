package org.salus.benchmarks.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.salus.benchmarks.figures.nbd.Fio;
import org.salus.benchmarks.figures.nbd.NbdBench;
import org.salus.benchmarks.figures.nbd.NbdReport;
import org.salus.benchmarks.figures.nbd.NbdUri;
import org.salus.benchmarks.figures.nbd.QemuNbd;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.dist.cli.Logging;
import org.salus.dist.cli.Salus;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code salus bench nbd}: fio against an export, and against qemu-nbd beside it. */
@Command(
    name = "nbd",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Measures a volume through NBD with fio, and beside it a plain file served by qemu-nbd on the same disk.",
      "Without --uri it starts a cluster of its own and removes it afterwards; that takes up to 20 GB of disk for a while."
    },
    footer = {"", "Example: salus bench nbd --seconds 30 --repeat 5 --out results"})
final class BenchNbdCommand implements Callable<Integer> {
  private static final long MIB = 1L << 20;
  private static final long MOST_RANGE = 1L << 30;

  @ParentCommand private BenchCommand bench;

  @Spec private CommandSpec spec;

  @Option(
      names = "--uri",
      paramLabel = "nbd://HOST:PORT/NAME",
      converter = UriConverter.class,
      description = "Measure this export. ITS DATA WILL BE OVERWRITTEN.")
  private NbdUri uri;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "An empty directory for the cluster's and the peer's data (default: a temporary one).")
  private Path data;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "How long each job measures (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "How often each job runs; the table has medians (default: ${DEFAULT-VALUE}).")
  private int repeat;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Also write the table, every result as CSV and a plot into this directory.")
  private Path out;

  private volatile Fio fio;
  private volatile BenchCluster cluster;
  private volatile QemuNbd peer;
  private volatile Scratch scratch;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (seconds < 1 || repeat < 1) {
      throw new ParameterException(spec.commandLine(), "--seconds and --repeat: use 1 or more");
    }
    // Taken before standard output goes to the cluster's log.
    PrintWriter result = spec.commandLine().getOut();
    BenchCommand.makeOut(out);
    Thread hook = new Thread(this::cleanUp, "salus-stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      scratch = Scratch.open(data);
      fio = new Fio(scratch.path());
      measure(result);
    } finally {
      cleanUp();
    }
    return 0;
  }

  private void measure(PrintWriter result) throws IOException, InterruptedException {
    Logging.quiet(bench.verbose());
    NbdUri mine = uri != null ? uri : ownCluster();
    long range = Math.min(MOST_RANGE, mine.size() / MIB * MIB);
    if (range == 0) {
      throw new IOException(mine + " is too small to measure; use an export of 1M or more");
    }
    NbdBench run = new NbdBench(fio, range, seconds, repeat, this::say);
    run.on(NbdReport.Server.SALUS, mine);
    boolean compare = QemuNbd.isInstalled();
    if (compare) {
      peer = QemuNbd.start(scratch.path(), range);
      run.on(NbdReport.Server.QEMU_NBD, peer.uri());
    }
    NbdReport report = run.run();
    BenchEnvironment environment =
        BenchEnvironment.here(fio.version(), uri != null ? uri.text() : "embedded cluster");
    result.println(report.table());
    result.flush();
    say(environment + (repeat > 1 ? ", medians of " + repeat : ""));
    if (!compare) {
      say("for the comparison install qemu-nbd (Debian: apt install qemu-utils)");
    }
    if (out != null) {
      report
          .write(out, BenchCommand.stamped("nbd"), environment)
          .forEach(file -> say("wrote " + file));
    }
  }

  private NbdUri ownCluster() throws IOException {
    BenchCluster started = new BenchCluster(scratch.path().resolve("cluster"), this::say);
    cluster = started;
    return started.start(bench.verbose());
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  /** Cleans up at the end, or when a signal ends the process. */
  private synchronized void cleanUp() {
    try {
      if (fio != null) {
        fio.stop();
      }
      if (peer != null) {
        peer.close();
      }
      if (cluster != null) {
        cluster.close();
      }
      if (scratch != null) {
        scratch.close();
      }
    } catch (IOException failed) {
      say("cannot remove " + scratch.path() + ": " + failed.getMessage());
    }
  }

  /** Converts the URI for picocli. */
  static final class UriConverter implements ITypeConverter<NbdUri> {
    @Override
    public NbdUri convert(String text) {
      try {
        return NbdUri.parse(text);
      } catch (IllegalArgumentException nonsense) {
        throw new TypeConversionException(nonsense.getMessage());
      }
    }
  }
}
