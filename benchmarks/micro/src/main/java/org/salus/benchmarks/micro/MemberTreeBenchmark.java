package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.log.LogState.Pending;
import org.salus.core.log.Position;
import org.salus.core.member.RegionIndex;

/** Settles batches in a member's index, without and with the region's root after each. */
@State(Scope.Thread)
public class MemberTreeBenchmark {
  private static final int BATCHES = 64;

  /** Segments that wait for their flush; a member has no more of them. */
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
