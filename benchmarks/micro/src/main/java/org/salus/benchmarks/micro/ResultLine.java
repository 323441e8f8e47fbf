package org.salus.benchmarks.micro;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * The measurements of one benchmark.
 *
 * @param params the parameters in words, without {@code blocks}
 * @param blocks number of 4 KiB blocks of an operation, or 0 if it has none
 * @param nanos nanoseconds of an operation, the median of all iterations
 * @param cpu nanoseconds of processor time of an operation, the median of all iterations
 * @param bytes bytes that an operation allocates
 */
public record ResultLine(
    String name, String params, int blocks, double nanos, double cpu, double bytes) {
  private static final String FORMAT = "%-26s %-16s %6s %10s %10s %9s %12s %8s";
  public static final String HEADER =
      "benchmark,params,blocks,ns_per_op,cpu_ns_per_op,bytes_per_op,cpu_ns_per_block,bytes_per_block";
  public static final String TITLE =
      String.format(
          FORMAT,
          "benchmark",
          "",
          "blocks",
          "ns/op",
          "cpu ns/op",
          "B/op",
          "cpu ns/block",
          "B/block");

  private static final String BLOCKS = "blocks";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  public static ResultLine of(RunResult r) {
    BenchmarkParams p = r.getParams();
    String[] parts = p.getBenchmark().split("\\.");
    String name = parts[parts.length - 2].replace("Benchmark", "") + "." + parts[parts.length - 1];
    Map<String, String> params = new TreeMap<>();
    p.getParamsKeys().forEach(k -> params.put(k, p.getParam(k)));
    String blocks = params.remove(BLOCKS);
    String words =
        params.entrySet().stream()
            .map(e -> e.getKey() + "=" + e.getValue())
            .collect(Collectors.joining(" "));
    return new ResultLine(
        name,
        words,
        blocks == null ? 0 : Integer.parseInt(blocks),
        median(r.getPrimaryResult()),
        median(r.getSecondaryResults().get(CpuTimeProfiler.NAME)),
        median(r.getSecondaryResults().get(ALLOCATED)));
  }

  /** The median of all iterations, or 0 if there is none. */
  private static double median(Result<?> result) {
    return result == null ? 0 : result.getStatistics().getPercentile(50);
  }

  public String csv() {
    return String.join(
        ",",
        name,
        params,
        Integer.toString(blocks),
        number(nanos),
        number(cpu),
        number(bytes),
        perBlock(cpu),
        perBlock(bytes));
  }

  @Override
  public String toString() {
    return String.format(
        FORMAT,
        name,
        params,
        blocks == 0 ? "" : blocks,
        number(nanos),
        number(cpu),
        number(bytes),
        perBlock(cpu),
        perBlock(bytes));
  }

  private String perBlock(double value) {
    return blocks == 0 ? "" : number(value / blocks);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
  }
}
