package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.client.Volume;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** INFO and GO: gives a volume's size and block sizes. GO also enters the transmission phase. */
final class InfoOption implements OptionHandler {
  private final boolean go;

  InfoOption(boolean go) {
    this.go = go;
  }

  @Override
  public void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException {
    String name = Options.string(data);
    int requests = Short.toUnsignedInt(data.getShort());
    if (data.remaining() != 2 * requests) {
      throw new InvalidOptionException(
          "the number of information requests does not fit the option's length");
    }
    Volume v = exports.find(name);
    String problem = exports.problem(name);
    if (v == null || problem != null) {
      out.error(
          Nbd.REP_ERR_UNKNOWN, problem == null ? "there is no volume '" + name + "'" : problem);
      return;
    }
    ByteBuffer export =
        ByteBuffer.allocate(12)
            .putShort((short) Nbd.INFO_EXPORT)
            .putLong(v.size())
            .putShort(n.transmissionFlags(exports));
    out.reply(Nbd.REP_INFO, export.flip());
    ByteBuffer sizes =
        ByteBuffer.allocate(14)
            .putShort((short) Nbd.INFO_BLOCK_SIZE)
            .putInt(1)
            .putInt(v.blockSize())
            .putInt(Nbd.MAX_PAYLOAD);
    out.reply(Nbd.REP_INFO, sizes.flip());
    out.reply(Nbd.REP_ACK);
    if (go) {
      n.enterTransmission(name, v);
    }
  }
}
