package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.log.SubBatch;
import org.salus.core.wire.MalformedException;

/** The encoding of a sub-batch. */
@State(Scope.Thread)
public class SubBatchBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  private SubBatch batch;
  private byte[] encoded;

  @Setup
  public void setUp() {
    batch = Samples.subBatch(blocks, false, 1000);
    encoded = batch.encode();
  }

  @Benchmark
  public byte[] encode() {
    return batch.encode();
  }

  @Benchmark
  public SubBatch decode() throws MalformedException {
    return SubBatch.decode(encoded);
  }
}
