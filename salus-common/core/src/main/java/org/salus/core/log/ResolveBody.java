package org.salus.core.log;

import org.salus.core.RegionId;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The body of a RESOLVE record (paper §4.4, phases 3 and 4). Everything up to {@code prefix} is
 * committed, and what was prepared beyond it is discarded.
 */
public record ResolveBody(long mountEpoch, long prefix, byte[] volumeRoot) {

  public byte[] encode() {
    return new Encoder(48).i64(mountEpoch).i64(prefix).raw(volumeRoot).toBytes();
  }

  /** What the session asks a region to log. */
  public LogRequest request(RegionId region, int epoch) {
    return new LogRequest(LogRecord.Type.RESOLVE, region, epoch, encode(), 0);
  }

  public static ResolveBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    ResolveBody b = new ResolveBody(d.i64(), d.i64(), d.raw(32));
    d.end();
    return b;
  }
}
