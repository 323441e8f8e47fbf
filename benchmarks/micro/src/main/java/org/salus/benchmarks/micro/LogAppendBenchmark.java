package org.salus.benchmarks.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;

/**
 * A record from its parts to its bytes, as a member makes it; and these bytes into a file, which is
 * what HDFS cannot beat.
 */
@State(Scope.Thread)
public class LogAppendBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  private final Signer signer = Samples.signer();
  private LogRecord sample;
  private ByteBuffer payload;
  private List<byte[]> certificate;
  private ByteBuffer[] whole;
  private Path file;
  private FileChannel channel;

  @Setup
  public void setUp() throws IOException {
    payload = Samples.payload(blocks);
    sample = Samples.record(blocks);
    certificate = Samples.certificate(sample, signer);
    whole = build();
    file = Files.createTempFile("salus-jmh", ".log");
    channel = FileChannel.open(file, StandardOpenOption.WRITE);
  }

  @TearDown
  public void tearDown() throws IOException {
    channel.close();
    Files.delete(file);
  }

  @Benchmark
  public ByteBuffer[] build() {
    LogRecord r = Samples.record(sample.content(), sample.origin(), payload);
    List<byte[]> all =
        List.of(
            signer.sign(Samples.MEMBERS.get(0), r.headerBuffer()),
            certificate.get(1),
            certificate.get(2));
    return new ByteBuffer[] {
      r.headerBuffer(), payload.duplicate(), ByteBuffer.wrap(r.trailer(all))
    };
  }

  @Benchmark
  public long file() throws IOException {
    if (channel.position() > Samples.SPEC.segmentBytes()) {
      channel.truncate(0);
    }
    for (ByteBuffer part : whole) {
      part.rewind();
    }
    long n = 0;
    while (whole[whole.length - 1].hasRemaining()) {
      n += channel.write(whole);
    }
    return n;
  }

  @Benchmark
  public long fileAndFsync() throws IOException {
    long n = file();
    channel.force(false);
    return n;
  }
}
