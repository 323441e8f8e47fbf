package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** STRUCTURED_REPLY: replies are structured from now on. */
final class StructuredReplyOption implements OptionHandler {
  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException {
    if (data.hasRemaining()) {
      throw new InvalidOptionException("STRUCTURED_REPLY takes no data");
    }
    n.useStructuredReplies();
    out.reply(Nbd.REP_ACK);
  }
}
