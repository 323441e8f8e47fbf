package org.salus.benchmarks.micro;

import java.util.Random;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.checkpoint.Generation;
import org.salus.core.tree.Hashes;

/**
 * The generation of a segment of 64 MiB: filling it, finding blocks in it; an operation is one
 * block.
 */
@State(Scope.Thread)
public class GenerationBenchmark {
  private static final int BLOCKS = 1 << 14;

  @Param("1")
  int blocks;

  @Param({"sequential", "random"})
  String order;

  private final byte[] leaf = new Hashes().leaf(Samples.payload(1));
  private final long[] locals = new long[BLOCKS];
  private Generation full;
  private int next;

  @Setup
  public void setUp() {
    Random r = new Random(1);
    for (int i = 0; i < BLOCKS; i++) {
      locals[i] = order.equals("random") ? r.nextInt(Samples.WORKING_SET) : i;
    }
    full = insert();
  }

  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public Generation insert() {
    Generation g = new Generation();
    for (int i = 0; i < BLOCKS; i++) {
      g.put(locals[i], (long) i * Samples.BLOCK, leaf);
    }
    return g;
  }

  @Benchmark
  public long find() {
    next = (next + 1) % BLOCKS;
    return full.offset(full.index(locals[next]));
  }

  @Benchmark
  public int findNothing() {
    next = (next + 1) % BLOCKS;
    return full.index(Samples.WORKING_SET + locals[next]);
  }

  @Benchmark
  @OperationsPerInvocation(BLOCKS)
  public Generation.Snapshot snapshot() {
    return full.snapshot();
  }
}
