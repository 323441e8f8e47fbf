package org.salus.core.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.core.RegionId;
import org.salus.core.Signer;

/**
 * What a session asks one epoch of one region to log. The session signs all of it. So a server that
 * acts in several regions cannot pass what was meant for one region on to another, nor a record of
 * one kind for one of another, nor what an earlier epoch was asked for.
 *
 * @param type PUT, MOUNT or RESOLVE
 * @param region the region that is to log it
 * @param epoch the epoch of its RRS
 * @param content the type's body, encoded
 * @param payloadCrc CRC32C of the payload, 0 without one
 */
public record LogRequest(
    LogRecord.Type type, RegionId region, int epoch, byte[] content, int payloadCrc) {
  /** Tells these signatures from those over other things that a session signs. */
  private static final byte[] PURPOSE = "log".getBytes(StandardCharsets.US_ASCII);

  private ByteBuffer[] signed() {
    ByteBuffer context =
        ByteBuffer.allocate(PURPOSE.length + 1 + Long.BYTES + 3 * Integer.BYTES)
            .put(PURPOSE)
            .put((byte) type.ordinal())
            .putLong(region.volume())
            .putInt(region.index())
            .putInt(epoch)
            .putInt(payloadCrc)
            .flip();
    return new ByteBuffer[] {context, ByteBuffer.wrap(content)};
  }

  /** The signature of the session of this mount. */
  public byte[] sign(long mountEpoch, Signer signer) {
    return signer.sign(Signer.sessionName(region.volume(), mountEpoch), signed());
  }

  /** Whether the signature is that of the session of this mount. */
  public boolean isSigned(long mountEpoch, byte[] signature, Signer signer) {
    return signer.verifies(Signer.sessionName(region.volume(), mountEpoch), signature, signed());
  }
}
