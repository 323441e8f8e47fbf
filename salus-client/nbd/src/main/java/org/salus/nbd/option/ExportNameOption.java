package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.client.Volume;
import org.salus.nbd.Exports;

/**
 * EXPORT_NAME: the old way into the transmission phase. It has no error reply; an error closes the
 * connection.
 */
final class ExportNameOption implements OptionHandler {
  private static final int ZEROES = 124;

  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException {
    String name = Options.text(data);
    Volume v = exports.find(name);
    if (v == null || exports.problem(name) != null) {
      n.end();
      return;
    }
    ByteBuffer b = ByteBuffer.allocate(10 + (n.noZeroes() ? 0 : ZEROES));
    b.putLong(v.size()).putShort(n.transmissionFlags(exports));
    out.raw(b.rewind());
    n.enterTransmission(name, v);
  }
}
