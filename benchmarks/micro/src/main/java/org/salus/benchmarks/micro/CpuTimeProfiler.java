package org.salus.benchmarks.micro;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The processor time of an operation in the benchmark's own threads. Other work on the machine
 * hardly affects it. The threads of the compiler and the collector are left out.
 */
public final class CpuTimeProfiler implements InternalProfiler {
  static final String NAME = "cpu.time.norm";
  private static final String WORKER = "jmh-worker";

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private long before;

  @Override
  public String getDescription() {
    return "Processor time of the benchmark's threads";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    before = nanos();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double each = (double) (nanos() - before) / Math.max(1, result.getMetadata().getAllOps());
    return List.of(new ScalarResult(NAME, each, "ns/op", AggregationPolicy.AVG));
  }

  private long nanos() {
    long sum = 0;
    for (ThreadInfo t : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (t != null && t.getThreadName().contains(WORKER)) {
        sum += threads.getThreadCpuTime(t.getThreadId());
      }
    }
    return sum;
  }
}
