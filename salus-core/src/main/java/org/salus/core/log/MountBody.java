package org.salus.core.log;

import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** From this record on the region refuses older mounts. */
public record MountBody(long mountEpoch) {

  public byte[] encode() {
    return new Encoder(8).i64(mountEpoch).toBytes();
  }

  public static MountBody decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    MountBody b = new MountBody(d.i64());
    d.end();
    return b;
  }
}
