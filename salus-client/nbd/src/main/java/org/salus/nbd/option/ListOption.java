package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** LIST: names every volume. */
final class ListOption implements OptionHandler {
  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException {
    if (data.hasRemaining()) {
      throw new InvalidOptionException("LIST takes no data");
    }
    for (String name : exports.names()) {
      byte[] b = name.getBytes(StandardCharsets.UTF_8);
      out.reply(Nbd.REP_SERVER, ByteBuffer.allocate(4 + b.length).putInt(b.length).put(b).flip());
    }
    out.reply(Nbd.REP_ACK);
  }
}
