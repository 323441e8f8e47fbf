package org.salus.core.message;

import java.nio.ByteBuffer;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** A message with its sender and receiver: the head of a frame on the wire. */
public record Envelope(Endpoint from, Endpoint to, Message message) {
  private static final int MEMBER = 1;
  private static final int SESSION = 2;

  public byte[] encode() {
    byte[] body = MessageCodec.encode(message);
    Encoder e = new Encoder(34 + body.length);
    write(e, from);
    write(e, to);
    return e.raw(body).toBytes();
  }

  public static Envelope decode(ByteBuffer in) throws MalformedException {
    Decoder d = new Decoder(in);
    return new Envelope(endpoint(d), endpoint(d), MessageCodec.decode(in));
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
