package org.salus.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment of a run.
 *
 * @param cores number of cores that this process may use
 * @param heap most bytes of Java heap of the benchmark's process
 * @param fio fio's version, or "-" if it is not used
 */
public record BenchEnvironment(
    String cpu, int cores, long heap, String jvm, String fio, String target) {
  /** The names of the fields of {@link #csv}. */
  public static final String HEADER = "cpu,cores,heap_mb,jvm,fio,target";

  /**
   * Detects the environment.
   *
   * @param target what was measured
   */
  public static BenchEnvironment here(String fio, String target) {
    Runtime runtime = Runtime.getRuntime();
    return new BenchEnvironment(
        cpuModel(),
        runtime.availableProcessors(),
        runtime.maxMemory(),
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
        fio,
        target);
  }

  private static String cpuModel() {
    try {
      List<String> lines = Files.readAllLines(Path.of("/proc/cpuinfo"));
      return lines.stream()
          .filter(l -> l.startsWith("model name"))
          .map(l -> l.substring(l.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException notLinux) {
      return System.getProperty("os.arch");
    }
  }

  /** The fields of a line, quoted. */
  public String csv() {
    return Stream.of(cpu, Integer.toString(cores), Long.toString(heap >> 20), jvm, fio, target)
        .map(field -> '"' + field.replace("\"", "\"\"") + '"')
        .collect(Collectors.joining(","));
  }

  /** The environment in one line for people. */
  @Override
  public String toString() {
    return cpu + ", " + cores + " cores, " + jvm + (fio.equals("-") ? "" : ", " + fio);
  }
}
