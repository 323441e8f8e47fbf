package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** ABORT: the client ends the handshake. */
final class AbortOption implements OptionHandler {
  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out) {
    out.reply(Nbd.REP_ACK);
    n.end();
  }
}
