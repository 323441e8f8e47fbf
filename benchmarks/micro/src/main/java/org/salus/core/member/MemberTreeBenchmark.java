package org.salus.core.member;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.benchmarks.micro.Samples;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Position;

/** A member's index and tree: a batch that settles, and the region's root after it. */
@State(Scope.Thread)
public class MemberTreeBenchmark {
  private static final int BATCHES = 64;

  /** The last is so many segments after the first: as many as wait for their flush at most. */
  private static final int SEGMENTS = 8;

  @Param({"1", "32", "250"})
  int blocks;

  @Param({"sequential", "random"})
  String order;

  private final Pending[] batches = new Pending[BATCHES];
  private RegionIndex index;
  private int next;

  @Setup
  public void setUp() {
    index = new RegionIndex(Samples.SPEC);
    int filling = Samples.WORKING_SET / SEGMENTS;
    for (int i = 0; i < SEGMENTS; i++) {
      index.apply(new Pending(Samples.subBatch(filling, true, i), new Position(i, 0), 0));
    }
    for (int i = 0; i < BATCHES; i++) {
      batches[i] =
          new Pending(
              Samples.subBatch(blocks, order.equals("random"), 1 + i),
              new Position(SEGMENTS, 0),
              0);
    }
  }

  @Benchmark
  public Object settle() {
    next = (next + 1) % BATCHES;
    index.apply(batches[next]);
    return index;
  }

  @Benchmark
  public byte[] settleAndRoot() {
    settle();
    return index.root();
  }
}
