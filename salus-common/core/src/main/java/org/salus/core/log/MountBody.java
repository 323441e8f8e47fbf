package org.salus.core.log;

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
  public LogRequest request(RegionId region) {
    return new LogRequest(LogRecord.Type.MOUNT, region, encode(), 0);
  }

  /** Whether the session of this mount has signed it for this region. */
  public boolean isSigned(RegionId region, byte[] signature, Signer signer) {
    return request(region).isSigned(mountEpoch, signature, signer);
  }

  public static MountBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    MountBody b = new MountBody(d.i64());
    d.end();
    return b;
  }
}
