package org.salus.core.log;

import java.util.List;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.MalformedException;

/** A record with its certificate, as {@link LogRecord#permission} encodes it. */
public record Permission(LogRecord record, List<byte[]> signatures) {

  public static Permission decode(byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    Permission p = new Permission(LogRecord.decode(d.bytes()), d.list(Decoder::bytes));
    d.end();
    return p;
  }
}
