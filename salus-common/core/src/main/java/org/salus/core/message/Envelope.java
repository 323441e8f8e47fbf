package org.salus.core.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * A message with its sender and receiver: the head of a frame on the wire. A seal is the sender's
 * signature over all three. It stands in every envelope whose message is not signed itself, see
 * {@link Message#proof}. The payload is not sealed: the message says what it must be, or the volume
 * tree does.
 */
public record Envelope(Endpoint from, Endpoint to, Message message) {
  private static final int MEMBER = 1;
  private static final int SESSION = 2;

  /** Bytes of an encoded endpoint. An envelope begins with the sender's, then the receiver's. */
  public static final int ENDPOINT_BYTES = 17;

  /** Bytes of two endpoints and a seal, at most. */
  private static final int MOST = 2 * ENDPOINT_BYTES + 1 + Signer.BYTES;

  /** Tells seals from signatures over other things. */
  private static final byte[] PURPOSE = "seal".getBytes(StandardCharsets.US_ASCII);

  /**
   * An envelope as it arrived.
   *
   * @param envelope what it says
   * @param seal its seal, or nothing
   * @param sealed the bytes that the seal must cover
   */
  public record Received(Envelope envelope, byte[] seal, ByteBuffer[] sealed) {
    /**
     * The envelope, if its message is from whom and for whom it says.
     *
     * @throws ForgedException when the message must be sealed, and its sender has not sealed it for
     *     this receiver
     */
    public Envelope open(Signer signer) throws ForgedException {
      if (envelope.message.proof() == Message.Proof.SEAL
          && !signer.verifies(name(envelope.from), seal, sealed)) {
        throw new ForgedException(envelope);
      }
      return envelope;
    }
  }

  /** Encodes it, sealed in the name of its sender if the message needs a seal. */
  public byte[] encode(Signer signer) {
    byte[] body = MessageCodec.encode(message);
    Encoder ends = new Encoder(MOST + body.length);
    write(ends, from);
    write(ends, to);
    boolean seal = message.proof() == Message.Proof.SEAL;
    byte[] by =
        seal
            ? signer.sign(
                name(from), sealed(ByteBuffer.wrap(ends.toBytes()), ByteBuffer.wrap(body)))
            : MessageCodec.NO_SIGNATURE;
    return ends.bool(seal).raw(by).raw(body).toBytes();
  }

  /** Reads an envelope; {@link Received#open} checks its seal. Keeps {@code in}. */
  public static Received decode(ByteBuffer in) throws MalformedException {
    Decoder d = new Decoder(in);
    int start = in.position();
    Endpoint from = endpoint(d);
    Endpoint to = endpoint(d);
    ByteBuffer ends = in.duplicate().position(start).limit(in.position());
    byte[] seal = d.bool() ? d.raw(Signer.BYTES) : MessageCodec.NO_SIGNATURE;
    ByteBuffer body = in.duplicate();
    return new Received(new Envelope(from, to, MessageCodec.decode(in)), seal, sealed(ends, body));
  }

  private static ByteBuffer[] sealed(ByteBuffer ends, ByteBuffer body) {
    return new ByteBuffer[] {ByteBuffer.wrap(PURPOSE), ends, body};
  }

  /** The name with which an endpoint seals. */
  private static String name(Endpoint x) {
    if (x instanceof Endpoint.Member m) {
      return Signer.laneName(m.region(), m.lane());
    }
    Endpoint.Session s = (Endpoint.Session) x;
    return Signer.sessionName(s.volume(), s.mountEpoch());
  }

  private static void write(Encoder e, Endpoint x) {
    if (x instanceof Endpoint.Member m) {
      e.u8(MEMBER).i64(m.region().volume()).i32(m.region().index()).i32(m.lane());
    } else if (x instanceof Endpoint.Session s) {
      e.u8(SESSION).i64(s.volume()).i64(s.mountEpoch());
    }
  }

  private static Endpoint endpoint(Decoder d) throws MalformedException {
    int kind = d.u8();
    return switch (kind) {
      case MEMBER -> new Endpoint.Member(new RegionId(d.i64(), d.i32()), d.i32());
      case SESSION -> new Endpoint.Session(d.i64(), d.i64());
      default -> throw new MalformedException("endpoint of kind " + kind);
    };
  }
}
