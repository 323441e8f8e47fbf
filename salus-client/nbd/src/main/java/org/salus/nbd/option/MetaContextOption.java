package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/**
 * LIST_META_CONTEXT and SET_META_CONTEXT: lists or chooses the only metadata context, {@code
 * base:allocation}.
 */
final class MetaContextOption implements OptionHandler {
  private final boolean set;

  MetaContextOption(boolean set) {
    this.set = set;
  }

  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException {
    if (set) {
      n.clearMetaContext(); // whatever becomes of the new choice
    }
    if (!n.structured()) {
      throw new InvalidOptionException("metadata contexts need structured replies");
    }
    String name = Options.string(data);
    long queries = Integer.toUnsignedLong(data.getInt());
    boolean wanted = !set && queries == 0;
    for (long i = 0; i < queries; i++) {
      String query = Options.string(data);
      wanted |= query.equals(Nbd.BASE_ALLOCATION) || !set && query.equals("base:");
    }
    if (data.hasRemaining()) {
      throw new InvalidOptionException("the number of queries does not fit the option's length");
    }
    if (exports.find(name) == null) {
      out.error(Nbd.REP_ERR_UNKNOWN, "there is no volume '" + name + "'");
      return;
    }
    if (wanted) {
      if (set) {
        n.setMetaContext(name);
      }
      byte[] b = Nbd.BASE_ALLOCATION.getBytes(StandardCharsets.UTF_8);
      out.reply(
          Nbd.REP_META_CONTEXT,
          ByteBuffer.allocate(4 + b.length).putInt(set ? Nbd.BASE_ALLOCATION_ID : 0).put(b).flip());
    }
    out.reply(Nbd.REP_ACK);
  }
}
