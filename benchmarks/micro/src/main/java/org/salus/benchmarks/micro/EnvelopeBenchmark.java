package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Endpoint;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Envelope;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.wire.MalformedException;

/** Messages that carry a batch, in their envelopes: what a frame has besides the payload. */
@State(Scope.Thread)
public class EnvelopeBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  @Param({"put", "chain"})
  String message;

  private Envelope envelope;
  private byte[] encoded;

  @Setup
  public void setUp() {
    LogRecord r = Samples.record(blocks);
    Message put = new PutRequest(Samples.EPOCH, r.content(), r.payloadCrc(), r.origin());
    Message chain = new Chain(r.header(), Samples.certificate(r, Samples.signer()).subList(0, 2));
    Endpoint from = new Endpoint.Session(Samples.SPEC.id(), Samples.MOUNT);
    envelope =
        new Envelope(
            from, new Endpoint.Member(Samples.REGION, 0), message.equals("put") ? put : chain);
    encoded = envelope.encode();
  }

  @Benchmark
  public byte[] encode() {
    return envelope.encode();
  }

  @Benchmark
  public Envelope decode() throws MalformedException {
    return Envelope.decode(ByteBuffer.wrap(encoded));
  }
}
