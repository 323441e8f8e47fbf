package org.salus.benchmarks.micro;

import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;

/**
 * Signing and checking: a record by one member, its whole certificate, and what the session signs.
 */
@State(Scope.Thread)
public class SignatureBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  private final Signer signer = Samples.signer();
  private LogRecord record;
  private List<byte[]> certificate;

  @Setup
  public void setUp() {
    record = Samples.record(blocks);
    certificate = Samples.certificate(record, signer);
  }

  @Benchmark
  public byte[] sign() {
    return signer.sign(Samples.MEMBERS.get(0), record.headerBuffer());
  }

  @Benchmark
  public boolean verify() {
    return signer.verifies(Samples.MEMBERS.get(0), certificate.get(0), record.headerBuffer());
  }

  @Benchmark
  public boolean verifyCertificate() {
    return record.certifiedBy(Samples.MEMBERS, certificate, signer);
  }

  @Benchmark
  public boolean verifyOrigin() {
    return record.request().isSigned(Samples.MOUNT, record.origin(), signer);
  }
}
