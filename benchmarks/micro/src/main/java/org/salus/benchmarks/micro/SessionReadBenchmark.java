package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The whole read path of the core in one thread: from a read to its buffer, which the session has
 * verified.
 */
@State(Scope.Thread)
public class SessionReadBenchmark {
  private static final int WRITTEN = 1 << 14;
  private static final int AT_ONCE = 128;

  @Param({"1", "32", "250"})
  int blocks;

  @Param({"1", "3"})
  int regions;

  private ByteBuffer into;
  private MemoryCluster cluster;
  private long next;

  @Setup
  public void setUp() {
    ByteBuffer block = Samples.payload(1);
    ByteBuffer data = ByteBuffer.allocate(AT_ONCE * Samples.BLOCK);
    while (data.hasRemaining()) {
      data.put(block.duplicate());
    }
    data.flip();
    cluster = new MemoryCluster(regions, block);
    for (long at = 0; at < WRITTEN; at += AT_ONCE) {
      cluster.write(at, data.duplicate());
    }
    into = ByteBuffer.allocate(blocks * Samples.BLOCK);
    cluster.read(WRITTEN - blocks, into);
    if (!into.clear().slice(0, Samples.BLOCK).equals(block)) {
      throw new IllegalStateException("what was written is not there");
    }
  }

  @Benchmark
  public long read() {
    next = next + 2L * blocks > WRITTEN ? 0 : next + blocks;
    return cluster.read(next, into.clear());
  }
}
