package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.Hashes;

/**
 * The leaf hash of a block, and its CRC32C beside it, where Java's arrays and where Netty's buffers
 * are.
 */
@State(Scope.Thread)
public class LeafHashBenchmark {
  @Param("1")
  int blocks;

  @Param({"heap", "direct"})
  String memory;

  private final Hashes hashes = new Hashes();
  private ByteBuffer block;

  @Setup
  public void setUp() {
    ByteBuffer sample = Samples.payload(blocks);
    block =
        memory.equals("heap")
            ? sample
            : ByteBuffer.allocateDirect(sample.remaining()).put(sample).flip();
  }

  @Benchmark
  public byte[] sha256() {
    return hashes.leaf(block);
  }

  @Benchmark
  public int crc32c() {
    return LogRecord.crc(block);
  }
}
