package org.salus.benchmarks.micro;

import java.nio.ByteBuffer;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.salus.core.Signer;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.Message.Yes;
import org.salus.core.message.MessageCodec;
import org.salus.core.wire.MalformedException;

/** The encoding of the small messages, of which there are several for each batch and each read. */
@State(Scope.Thread)
public class MessageBenchmark {

  /** Messages, as they are in a volume of three regions. */
  public enum Kind {
    CERTIFIED(
        new Certified(Samples.EPOCH, 5, 1 << 20, List.of(signature(), signature(), signature()))),
    VOTE(Vote.on(Samples.subBatch(1, false, 1000), 0, 1, null).withSignature(signature())),
    COMMIT(
        new Commit(
            0,
            Samples.EPOCH,
            1,
            Commit.SESSION,
            Samples.MOUNT,
            1,
            1249,
            signature(),
            List.of(new Yes(1, signature()), new Yes(2, signature())))),
    GET(new GetRequest(77, Samples.EPOCH, Samples.MOUNT, 1249, 1000, 4711, 32)),
    GET_REPLY(new GetReply(77, 1, new byte[4], 3, false));

    private final Message message;

    Kind(Message message) {
      this.message = message;
    }

    private static byte[] signature() {
      return new byte[Signer.BYTES];
    }
  }

  @Param Kind kind;

  private byte[] encoded;

  @Setup
  public void setUp() {
    encoded = MessageCodec.encode(kind.message);
  }

  @Benchmark
  public byte[] encode() {
    return MessageCodec.encode(kind.message);
  }

  @Benchmark
  public Message decode() throws MalformedException {
    return MessageCodec.decode(ByteBuffer.wrap(encoded));
  }
}
