package org.salus.benchmarks.micro;

import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.salus.core.log.LogRecord;
import org.salus.core.wire.MalformedException;

/** The certificate as the trailer of a record. */
@State(Scope.Thread)
public class TrailerBenchmark {
  private final LogRecord record = Samples.record(1);
  private final List<byte[]> certificate = Samples.certificate(record, Samples.signer());
  private final byte[] trailer = record.trailer(certificate);

  @Benchmark
  public byte[] encode() {
    return record.trailer(certificate);
  }

  @Benchmark
  public List<byte[]> decode() throws MalformedException {
    return LogRecord.signatures(trailer);
  }
}
