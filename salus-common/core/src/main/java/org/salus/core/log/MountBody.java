package org.salus.core.log;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** The body of a MOUNT record: the region refuses older mounts from here on (paper §4.3). */
public record MountBody(long mountEpoch) {

  public byte[] encode() {
    return new Encoder(8).i64(mountEpoch).toBytes();
  }

  /** What the session asks a region to log. */
  public LogRequest request(RegionId region, int epoch) {
    return new LogRequest(LogRecord.Type.MOUNT, region, epoch, encode(), 0);
  }

  /** What shows everybody that a session has asked an epoch of a region for its mount. */
  public static byte[] proof(int epoch, byte[] signature) {
    return new Encoder(Integer.BYTES + Signer.BYTES).i32(epoch).raw(signature).toBytes();
  }

  /** Whether this is the {@link #proof} that the session of this mount has asked this region. */
  public boolean isProven(RegionId region, byte[] proof, Signer signer) {
    if (proof.length != Integer.BYTES + Signer.BYTES) {
      return false;
    }
    int epoch = ByteBuffer.wrap(proof).getInt();
    byte[] signature = Arrays.copyOfRange(proof, Integer.BYTES, proof.length);
    return request(region, epoch).isSigned(mountEpoch, signature, signer);
  }

  public static MountBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    MountBody b = new MountBody(d.i64());
    d.end();
    return b;
  }
}
