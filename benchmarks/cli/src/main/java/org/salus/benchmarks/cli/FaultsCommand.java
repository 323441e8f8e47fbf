package org.salus.benchmarks.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.FaultsRun;
import org.salus.benchmarks.faults.hbase.HBaseTarget;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.SalusTarget;
import org.salus.benchmarks.faults.table.FaultRow;
import org.salus.benchmarks.faults.table.FaultRows;
import org.salus.benchmarks.faults.table.FigureTable;
import org.salus.benchmarks.faults.table.Matrix;
import org.salus.benchmarks.faults.table.MatrixTable;
import org.salus.benchmarks.faulty.FaultSwitches;
import org.salus.benchmarks.report.Table;
import org.salus.dist.cli.Logging;
import org.salus.dist.cli.Salus;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** {@code salus faults}: the paper's robustness table on real processes. */
@Command(
    name = "faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Does to a cluster of processes every fault of the paper's Figure 7 and section 5.1. Prints what is left of volumes, and of ordinary"
          + " HBase tables beside them. The exit code is 1 if a volume was not as promised.",
      "Reads are fresh, fresh* where some are refused, STALE or CORRUPTED. What a new client finds is ordered (a prefix of what was written,"
          + " with all that was acknowledged), LOST (a prefix without), NOT ORDERED, CORRUPTED, or refused."
    },
    footer = {
      "",
      "Examples: salus faults --rows 1-4,9 --out results",
      "          salus faults --matrix --list"
    })
final class FaultsCommand implements Callable<Integer> {
  private static final int MIN_SERVERS = 4;
  private static final int TENTH = 10;
  private static final int MAX_SERVERS = 32;

  /** One of the two stores alone. */
  private static final class Only {
    @Option(names = "--salus-only", description = "Leave HBase's tables out.")
    private boolean salus;

    @Option(names = "--hbase-only", description = "Leave volumes out of the rows.")
    private boolean hbase;
  }

  @ParentCommand private Salus salus;

  @Spec private CommandSpec spec;

  @Option(
      names = "--list",
      description = "List the rows, and with --matrix the cells, and run nothing.")
  private boolean list;

  @Option(
      names = "--rows",
      paramLabel = "N[-M][,...]",
      description = "Run only the rows of these numbers, or 'none'.")
  private String rows;

  @Option(
      names = "--matrix",
      description =
          "After the paper's rows, also run the matrix of fault by place by scope by phase, on volumes.")
  private boolean matrix;

  @Option(
      names = "--cells",
      paramLabel = "N[-M][,...]",
      description = "Of the matrix run only the cells of these numbers.")
  private String cells;

  @Option(
      names = "--quick",
      description = "Run only every tenth row and cell, if no numbers are given.")
  private boolean quick;

  @Option(
      names = "--at-once",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Cells to run side by side, of those that touch no other store (default: ${DEFAULT-VALUE}).")
  private int atOnce;

  @ArgGroup private Only only;

  @Option(
      names = "--servers",
      paramLabel = "N",
      defaultValue = "5",
      description = "Region servers, and DataNodes: 4 to 32 (default: ${DEFAULT-VALUE}).")
  private int servers;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description =
          "A volume that does not answer for so long, with at most two of three faulty, is not live (default: ${DEFAULT-VALUE}).")
  private int patience;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of what is written (default: another one each time; it is printed).")
  private Long seed;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "An empty directory for its clusters, which are left there (default: a temporary one).")
  private Path data;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Where faults.txt and faults.md, or matrix.txt and matrix.md, go (default: ./faults-DATE).")
  private Path out;

  private volatile FaultCluster cluster;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (servers < MIN_SERVERS || servers > MAX_SERVERS) {
      throw new ParameterException(
          spec.commandLine(),
          "--servers " + servers + ": use " + MIN_SERVERS + " to " + MAX_SERVERS);
    }
    if (atOnce < 1) {
      throw new ParameterException(spec.commandLine(), "--at-once " + atOnce + ": use 1 or more");
    }
    PrintWriter result = spec.commandLine().getOut();
    List<FaultRow> allRows = FaultRows.all();
    List<Cell> allCells = Matrix.cells();
    List<Integer> chosenRows = chosen("--rows", rows, allRows.size());
    List<Integer> chosenCells = matrix ? chosen("--cells", cells, allCells.size()) : List.of();
    if (list) {
      chosenRows.forEach(
          i ->
              result.printf(
                  "row %3d   %s: %s%n", i + 1, allRows.get(i).where(), allRows.get(i).faults()));
      chosenCells.forEach(i -> result.printf("cell %3d  %s%n", i + 1, allCells.get(i)));
      result.flush();
      return 0;
    }
    Path classes = faultyClasses();
    Logging.quiet(salus.verbose());
    Path to =
        Files.createDirectories(
            out != null ? out : Path.of("faults-" + LocalDate.now(ZoneOffset.UTC)));
    FigureTable figure = new FigureTable(allRows, chosenRows);
    MatrixTable seen = new MatrixTable(allCells, chosenCells);
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "salus-stop"));
    long first = seed != null ? seed : System.nanoTime();
    say("seed " + first);
    if (!figure.cells().isEmpty()) {
      inCluster("rows", classes, first, run -> rows(run, figure, to));
    }
    if (!seen.cells().isEmpty()) {
      inCluster("cells", classes, first, run -> cells(run, seen, to));
    }
    return tell(figure, seen, to, result) ? 0 : Salus.FAILED;
  }

  private interface Work {
    void run(FaultsRun run) throws IOException, InterruptedException;
  }

  /**
   * Runs one part on a cluster of its own. Damage to HBase's own logs can keep it from ever opening
   * new tables, which volumes need too.
   */
  private void inCluster(String name, Path classes, long first, Work work)
      throws IOException, InterruptedException {
    try (Scratch scratch = data == null ? Scratch.open(null) : null) {
      cluster =
          FaultCluster.start(
              (scratch == null ? data : scratch.path()).resolve(name), servers, classes, this::say);
      try {
        work.run(new FaultsRun(cluster, first, Duration.ofSeconds(patience), atOnce, this::say));
      } finally {
        stop();
      }
    }
  }

  private void rows(FaultsRun run, FigureTable figure, Path to)
      throws IOException, InterruptedException {
    try (SalusTarget volumes = new SalusTarget(cluster);
        HBaseTarget tables = new HBaseTarget(cluster)) {
      List<FaultsRun.Task> rows = new ArrayList<>();
      if (only == null || only.salus) {
        figure.cells().forEach(c -> rows.add(new FaultsRun.Task(volumes, c)));
      }
      if (only == null || only.hbase) {
        figure.cells().forEach(c -> rows.add(new FaultsRun.Task(tables, c)));
      }
      run.each(
          rows,
          (task, r) -> {
            figure.add(task.target() == volumes, task.cell(), r);
            write(to, "faults", List.of(figure.table()));
          });
    }
  }

  private void cells(FaultsRun run, MatrixTable seen, Path to)
      throws IOException, InterruptedException {
    try (SalusTarget volumes = new SalusTarget(cluster)) {
      run.each(
          seen.cells().stream().map(c -> new FaultsRun.Task(volumes, c)).toList(),
          (task, r) -> {
            seen.add(task.cell(), r);
            write(to, "matrix", List.of(seen.table(), seen.leftOut()));
          });
    }
  }

  private boolean tell(FigureTable figure, MatrixTable seen, Path to, PrintWriter result) {
    result.println(figure.table().text());
    if (matrix) {
      result.println(seen.table().text());
      result.println(seen.leftOut().text());
      result.println(
          seen.ran()
              + " of "
              + seen.cells().size()
              + " cells were run, "
              + seen.kept()
              + " were as promised");
    }
    result.flush();
    boolean kept =
        (only != null && only.hbase || figure.isKept()) && seen.kept() == seen.cells().size();
    say("wrote the tables to " + to + (kept ? "" : "; (!) marks what is not as promised"));
    return kept;
  }

  /** Writes the tables after each cell, so that a stopped run leaves what was seen. */
  private static void write(Path to, String name, List<Table> tables) {
    try {
      Files.writeString(
          to.resolve(name + ".txt"), String.join("\n", tables.stream().map(Table::text).toList()));
      Files.writeString(
          to.resolve(name + ".md"),
          String.join("\n", tables.stream().map(Table::markdown).toList()));
    } catch (IOException failed) {
      throw new UncheckedIOException(
          "cannot write to " + to + "; choose another directory with --out", failed);
    }
  }

  /** The indexes that an option names, or all if it is not given. */
  private List<Integer> chosen(String option, String given, int count) {
    if (given == null) {
      return IntStream.range(0, count).filter(i -> !quick || i % TENTH == 0).boxed().toList();
    }
    List<Integer> numbers = new ArrayList<>();
    for (String part : given.equals("none") ? new String[0] : given.split(",")) {
      if (!part.matches("\\d{1,4}(-\\d{1,4})?")) {
        throw new ParameterException(
            spec.commandLine(), option + " " + part + ": use numbers like 3 or 5-9, or none");
      }
      String[] ends = part.split("-");
      int from = Integer.parseInt(ends[0]);
      int end = Integer.parseInt(ends[ends.length - 1]);
      if (from < 1 || end > count || from > end) {
        throw new ParameterException(
            spec.commandLine(), option + " " + part + ": there are 1 to " + count);
      }
      IntStream.rangeClosed(from, end).forEach(i -> numbers.add(i - 1));
    }
    return numbers;
  }

  /** The classes of the faulty servers. Only the region servers of these clusters have them. */
  private static Path faultyClasses() throws IOException {
    try {
      return Path.of(
          FaultSwitches.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException strange) {
      throw new IOException("cannot find the classes of the faulty servers", strange);
    }
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }

  /** Stops the cluster at the end, or when a signal ends the process. */
  private synchronized void stop() {
    if (cluster != null) {
      try {
        cluster.close();
        cluster = null;
      } catch (IOException failed) {
        say("cannot stop the cluster: " + failed.getMessage());
      }
    }
  }
}
