package org.salus.jmh;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;

/**
 * What was measured of one benchmark.
 *
 * @param params in words, without {@code blocks}
 * @param blocks of 4 KiB that an operation is about; 0 where it is about none
 * @param nanos an operation takes
 * @param error half the width of JMH's 99.9 % confidence interval; NaN where there are too few iterations
 * @param bytes that an operation allocates
 */
record Line(String name, String params, int blocks, double nanos, double error, double bytes) {
  static final String HEADER = "benchmark,params,blocks,ns_per_op,error_ns,bytes_per_op,ns_per_block,bytes_per_block";
  static final String TITLE = String.format("%-36s %-22s %6s %12s %10s %12s %12s %12s",
      "benchmark", "", "blocks", "ns/op", "+-", "B/op", "ns/block", "B/block");

  private static final String BLOCKS = "blocks";
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  static Line of(RunResult r) {
    BenchmarkParams p = r.getParams();
    String[] parts = p.getBenchmark().split("\\.");
    String name = parts[parts.length - 2].replace("Benchmark", "") + "." + parts[parts.length - 1];
    Map<String, String> params = new TreeMap<>();
    p.getParamsKeys().forEach(k -> params.put(k, p.getParam(k)));
    String blocks = params.remove(BLOCKS);
    String words = params.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
    Result<?> time = r.getPrimaryResult();
    Result<?> allocated = r.getSecondaryResults().get(ALLOCATED);
    return new Line(name, words, blocks == null ? 0 : Integer.parseInt(blocks), time.getScore(), time.getScoreError(),
        allocated == null ? 0 : allocated.getScore());
  }

  String csv() {
    return String.join(",", name, params, Integer.toString(blocks), number(nanos), number(error), number(bytes), perBlock(nanos), perBlock(bytes));
  }

  @Override
  public String toString() {
    return String.format("%-36s %-22s %6s %12s %10s %12s %12s %12s",
        name, params, blocks == 0 ? "" : blocks, number(nanos), number(error), number(bytes), perBlock(nanos), perBlock(bytes));
  }

  private String perBlock(double value) {
    return blocks == 0 ? "" : number(value / blocks);
  }

  private static String number(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, value < 100 ? "%.1f" : "%.0f", value);
  }
}
