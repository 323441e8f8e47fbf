package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The whole write path of the core in one thread: a session and three members a region, from a
 * write to its acknowledgement.
 */
@State(Scope.Thread)
public class SessionWriteBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  @Param({"1", "3"})
  int regions;

  private ByteBuffer data;
  private MemoryCluster cluster;
  private long next;

  @Setup
  public void setUp() {
    data = Samples.payload(blocks);
    cluster = new MemoryCluster(regions, data);
  }

  @Benchmark
  public long write() {
    next = next + 2L * blocks > Samples.WORKING_SET ? 0 : next + blocks;
    return cluster.write(next, data.duplicate());
  }
}
