package org.salus.benchmarks.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.HtmlReport;
import org.salus.dist.cli.Salus;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code salus bench all}: runs every benchmark in a process of its own, one after the other, and
 * makes a page of the results.
 */
@Command(
    name = "all",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs every benchmark, one after the other, and writes a page (HTML) with all tables and plots beside their files.",
      "Takes about twelve hours, up to 100 GB of disk and SALUS_HEAP=16g; --quick about forty minutes and 20 GB:",
      "ENDURANCE, RECOVERY and SCRUB are left out there unless --only names them."
    },
    footer = {"", "Example: salus bench all --quick --out results"})
final class BenchAllCommand implements Callable<Integer> {
  /** The benchmarks in their order, with about how long each takes. */
  private enum Benchmark {
    FIG8("Figure 8: throughput of one client", 5, 60),
    FIG9("Figure 9: latency of one request", 3, 15),
    FIG10("Figure 10: throughput of many clients", 3, 120),
    FIG11("Figure 11: a shared network that is the limit", 4, 60),
    FIG12("Figure 12: larger and larger clusters, predicted", 3, 60),
    FIG13("Figure 13: barriers", 3, 30),
    GAIOS("Gaios, Figures 3 to 7: a replicated state machine and primary-backup", 7, 120),
    RING("The ring paper's Figure 3: one to three replicas", 4, 60),
    SIZE("Volumes of 1 GiB, 1 TiB and 16 TiB", 5, 30),
    SMALL("Small requests, and many", 4, 10),
    ENDURANCE("Random overwrites that go on and on", 5, 70),
    RECOVERY("Servers killed under a load of writes", 10, 30),
    SCRUB("Scrubbing", 16, 60),
    NBD("Through NBD, by fio", 3, 30);

    private final String title;
    private final int quickMinutes;
    private final int minutes;

    Benchmark(String title, int quickMinutes, int minutes) {
      this.title = title;
      this.quickMinutes = quickMinutes;
      this.minutes = minutes;
    }

    private List<String> arguments(boolean quick, Path out) {
      List<String> all = new ArrayList<>(List.of("bench", name().toLowerCase(Locale.ROOT)));
      if (this == NBD) {
        all.addAll(quick ? List.of("--seconds", "4") : List.of("--seconds", "30", "--repeat", "5"));
      } else if (quick) {
        all.add("--quick");
      }
      all.addAll(List.of("--out", out.toString()));
      return all;
    }
  }

  /** The benchmarks whose measurements take long. */
  private static final Set<Benchmark> LONG =
      EnumSet.of(Benchmark.ENDURANCE, Benchmark.RECOVERY, Benchmark.SCRUB);

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer runs, and less data.")
  private boolean quick;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "NAME",
      description =
          "Some of ${COMPLETION-CANDIDATES}, in any case (default: all, with --quick all but ENDURANCE, RECOVERY and SCRUB).")
  private List<Benchmark> only;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Where the page and all results go.")
  private Path out;

  private final SalusProcess process = new SalusProcess();

  @Override
  public Integer call() throws IOException, InterruptedException {
    BenchCommand.makeOut(out);
    Runtime.getRuntime().addShutdownHook(new Thread(process::stop, "salus-stop"));
    HtmlReport page =
        new HtmlReport(
            "Salus beside its peers",
            BenchEnvironment.here("-", "all") + (quick ? ", quick mode" : ""));
    boolean failed = false;
    List<Benchmark> chosen = chosen();
    for (int i = 0; i < chosen.size(); i++) {
      int left =
          chosen.subList(i, chosen.size()).stream()
              .mapToInt(b -> quick ? b.quickMinutes : b.minutes)
              .sum();
      say(
          chosen.get(i).title
              + " ("
              + (i + 1)
              + " of "
              + chosen.size()
              + ", about "
              + left
              + " min left)");
      failed |= !run(chosen.get(i), page);
    }
    Path file = out.resolve(BenchCommand.stamped("report") + ".html");
    page.write(file);
    say("wrote " + file);
    return failed ? 1 : 0;
  }

  private List<Benchmark> chosen() {
    return only != null
        ? only
        : Stream.of(Benchmark.values()).filter(b -> !quick || !LONG.contains(b)).toList();
  }

  /** Runs a benchmark. Returns whether it succeeded. */
  private boolean run(Benchmark b, HtmlReport page) throws IOException, InterruptedException {
    List<String> arguments = b.arguments(quick, out);
    String command = "salus " + String.join(" ", arguments);
    Set<Path> before = files();
    Process benchmark = process.start(List.of(), arguments, ProcessBuilder.Redirect.PIPE);
    String table =
        new String(benchmark.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .stripTrailing();
    int end = benchmark.waitFor();
    if (end != 0) {
      say(b.title + ": ended with " + end + "; run it alone: " + command);
      page.addFailure(b.title, command, "It ended with " + end + " and has no results.");
      return false;
    }
    PrintWriter result = spec.commandLine().getOut();
    result.println(table);
    result.flush();
    page.add(
        b.title,
        command,
        table,
        files().stream().filter(f -> !before.contains(f)).sorted().toList());
    return true;
  }

  private Set<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(out)) {
      return all.collect(Collectors.toSet());
    }
  }

  private void say(String what) {
    Salus.say(spec.commandLine().getErr(), what);
  }
}
