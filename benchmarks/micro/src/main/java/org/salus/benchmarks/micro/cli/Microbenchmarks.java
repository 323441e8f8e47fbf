package org.salus.benchmarks.micro.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.salus.benchmarks.micro.CpuTimeProfiler;
import org.salus.benchmarks.micro.ResultLine;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bin/salus-jmh}: runs the microbenchmarks and makes the tables. */
@Command(
    name = "salus-jmh",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Measures time and allocation of the hot pieces, one thread each, in processes of their own.",
    footer = {"", "Example: salus-jmh --quick --out results 'Session.*'"})
public final class Microbenchmarks implements Callable<Integer> {
  /**
   * The options of {@code bin/salus}, with assertions on. Netty caches buffers for every thread, as
   * it does for its own. No benchmark fills the heap.
   */
  private static final String[] JVM = {
    "-Xms1g",
    "-Xmx1g",
    "-XX:+UseG1GC",
    "-XX:G1HeapRegionSize=8m",
    "-XX:-UsePerfData",
    "-ea:org.salus...",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.useCacheForAllThreads=true"
  };

  /** How often a benchmark runs in a new process, and how long. */
  private enum RunLength {
    QUICK(1, 5, 5, 300),
    FULL(3, 5, 5, 1000);

    private final int forks;
    private final int warmUps;
    private final int iterations;
    private final TimeValue each;

    RunLength(int forks, int warmUps, int iterations, long millis) {
      this.forks = forks;
      this.warmUps = warmUps;
      this.iterations = iterations;
      this.each = TimeValue.milliseconds(millis);
    }
  }

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "FILTER",
      arity = "0..1",
      defaultValue = "",
      description = "Only benchmarks whose name matches this regular expression.")
  private String filter;

  @Option(
      names = "--quick",
      description =
          "One process and 3 seconds for each, 8 minutes for all; else three of 10 seconds, an hour for all.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Also write jmh.json, all that JMH knows, and jmh.csv, the table, to this directory.")
  private Path out;

  private Microbenchmarks() {}

  public static void main(String[] args) {
    System.exit(new CommandLine(new Microbenchmarks()).execute(args));
  }

  @Override
  public Integer call() throws IOException, RunnerException {
    Collection<RunResult> results = run();
    List<ResultLine> lines = results.stream().map(ResultLine::of).toList();
    PrintWriter table = spec.commandLine().getOut();
    table.println();
    table.println(ResultLine.TITLE);
    lines.forEach(table::println);
    table.flush();
    if (out != null) {
      Files.write(
          out.resolve("jmh.csv"),
          Stream.concat(Stream.of(ResultLine.HEADER), lines.stream().map(ResultLine::csv))
              .toList());
    }
    return 0;
  }

  private Collection<RunResult> run() throws IOException, RunnerException {
    RunLength length = quick ? RunLength.QUICK : RunLength.FULL;
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(filter)
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(length.forks)
            .warmupIterations(length.warmUps)
            .warmupTime(length.each)
            .measurementIterations(length.iterations)
            .measurementTime(length.each)
            .addProfiler(GCProfiler.class)
            .addProfiler(CpuTimeProfiler.class)
            .shouldFailOnError(true)
            .jvmArgs(JVM);
    if (out != null) {
      Files.createDirectories(out);
      options.resultFormat(ResultFormatType.JSON).result(out.resolve("jmh.json").toString());
    }
    try {
      return new Runner(options.build()).run();
    } catch (NoBenchmarksException none) {
      throw new ParameterException(
          spec.commandLine(), "no benchmark's name matches '" + filter + "'");
    }
  }
}
