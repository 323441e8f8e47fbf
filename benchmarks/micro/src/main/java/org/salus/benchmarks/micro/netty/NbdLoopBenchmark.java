package org.salus.benchmarks.micro.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.salus.benchmarks.micro.NullVolume;
import org.salus.benchmarks.micro.Samples;
import org.salus.client.Volume;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;
import org.salus.nbd.netty.NbdHandler;

/**
 * The NBD bridge without sockets, over a volume that does nothing. Requests of one block each
 * arrive together, and their replies are read.
 */
@State(Scope.Thread)
public class NbdLoopBenchmark {
  private static final int HEADER = 28;
  private static final int REPLY = 16;

  @Param({"1", "32", "250"})
  int blocks;

  private EmbeddedChannel channel;
  private ByteBuf writes;
  private ByteBuf reads;

  @Setup
  public void setUp() {
    channel = new EmbeddedChannel(new NbdHandler(new OneExport(new NullVolume())));
    channel.config().setAllocator(PooledByteBufAllocator.DEFAULT);
    ByteBuf hello =
        PooledByteBufAllocator.DEFAULT
            .buffer(20)
            .writeInt(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES);
    exchange(hello.writeLong(Nbd.IHAVEOPT).writeInt(Nbd.OPT_EXPORT_NAME).writeInt(0));
    writes = requests(Nbd.CMD_WRITE, Samples.BLOCK);
    reads = requests(Nbd.CMD_READ, 0);
    if (write() != (long) blocks * REPLY || read() != (long) blocks * (REPLY + Samples.BLOCK)) {
      throw new IllegalStateException("requests were not answered");
    }
  }

  private ByteBuf requests(int command, int payload) {
    ByteBuf b = PooledByteBufAllocator.DEFAULT.directBuffer(blocks * (HEADER + payload));
    for (int i = 0; i < blocks; i++) {
      b.writeInt(Nbd.REQUEST_MAGIC)
          .writeShort(0)
          .writeShort(command)
          .writeLong(i)
          .writeLong((long) i * Samples.BLOCK);
      b.writeInt(Samples.BLOCK).writeZero(payload);
    }
    return b;
  }

  @TearDown
  public void tearDown() {
    writes.release();
    reads.release();
    channel.finishAndReleaseAll();
  }

  @Benchmark
  public long write() {
    return exchange(writes.retainedDuplicate());
  }

  @Benchmark
  public long read() {
    return exchange(reads.retainedDuplicate());
  }

  private long exchange(ByteBuf requests) {
    channel.writeInbound(requests);
    long bytes = 0;
    for (ByteBuf reply = channel.readOutbound(); reply != null; reply = channel.readOutbound()) {
      bytes += reply.readableBytes();
      reply.release();
    }
    return bytes;
  }

  private record OneExport(Volume volume) implements Exports {
    @Override
    public List<String> names() {
      return List.of(volume.name());
    }

    @Override
    public Volume find(String name) {
      return volume;
    }
  }
}
