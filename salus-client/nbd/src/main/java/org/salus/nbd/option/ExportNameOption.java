package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.client.Volume;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/**
 * EXPORT_NAME: the old way into the transmission phase. It has no error reply; an error closes the
 * connection.
 */
final class ExportNameOption implements OptionHandler {
  private static final int ZEROES = 124;

  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out) {
    Volume v = exports.find(StandardCharsets.UTF_8.decode(data).toString());
    if (v == null) {
      n.end();
      return;
    }
    ByteBuffer b = ByteBuffer.allocate(10 + (n.noZeroes() ? 0 : ZEROES));
    b.putLong(v.size()).putShort((short) Nbd.TRANSMISSION_FLAGS);
    out.raw(b.rewind());
    n.enterTransmission(v);
  }
}
