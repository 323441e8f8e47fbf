package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.message.Envelope;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.wire.MalformedException;

/**
 * Messages that carry a batch, and those of a read, which are sealed, in their envelopes: what a
 * frame has besides the payload.
 */
@State(Scope.Thread)
public class EnvelopeBenchmark {
  @Param({"1", "32", "250"})
  int blocks;

  @Param({"put", "chain", "get", "reply"})
  String message;

  private final Signer signer = Samples.signer();
  private Envelope envelope;
  private byte[] encoded;

  @Setup
  public void setUp() {
    LogRecord r = Samples.record(blocks);
    Message put = new PutRequest(Samples.EPOCH, r.content(), r.payloadCrc(), r.origin());
    Message chain = new Chain(r.header(), Samples.certificate(r, Samples.signer()).subList(0, 2));
    Endpoint from = new Endpoint.Session(Samples.SPEC.id(), Samples.MOUNT);
    Endpoint to = new Endpoint.Member(Samples.REGION, 0);
    envelope =
        switch (message) {
          case "put" -> new Envelope(from, to, put);
          case "chain" -> new Envelope(from, to, chain);
          case "get" ->
              new Envelope(
                  from, to, new GetRequest(77, Samples.EPOCH, Samples.MOUNT, 1249, 1000, 47, 32));
          default -> new Envelope(to, from, new GetReply(77, 1, new byte[4], 3, false));
        };
    encoded = envelope.encode(signer);
  }

  @Benchmark
  public byte[] encode() {
    return envelope.encode(signer);
  }

  @Benchmark
  public Envelope open() throws MalformedException, ForgedException {
    return Envelope.decode(ByteBuffer.wrap(encoded)).open(signer);
  }
}
