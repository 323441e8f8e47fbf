package org.salus.benchmarks.micro;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.log.LogRecord;
import org.salus.core.wire.MalformedException;

/** The encoding of a record's header. */
@State(Scope.Thread)
public class LogRecordBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  private LogRecord record;

  @Setup
  public void setUp() {
    record = Samples.record(blocks);
  }

  @Benchmark
  public byte[] encode() {
    return new LogRecord(record.request(), record.at(), record.payloadLength(), record.origin())
        .header();
  }

  @Benchmark
  public LogRecord decode() throws MalformedException {
    return LogRecord.decode(record.header());
  }
}
