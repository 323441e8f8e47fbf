package org.salus.nbd.option;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.salus.nbd.Exports;
import org.salus.nbd.Nbd;

/** Hands each option of the handshake to its handler. Thread-safe. */
public final class Options {
  private static final Map<Integer, OptionHandler> HANDLERS =
      Map.of(
          Nbd.OPT_EXPORT_NAME,
          new ExportNameOption(),
          Nbd.OPT_ABORT,
          new AbortOption(),
          Nbd.OPT_LIST,
          new ListOption(),
          Nbd.OPT_INFO,
          new InfoOption(false),
          Nbd.OPT_GO,
          new InfoOption(true),
          Nbd.OPT_STRUCTURED_REPLY,
          new StructuredReplyOption(),
          Nbd.OPT_LIST_META_CONTEXT,
          new MetaContextOption(false),
          Nbd.OPT_SET_META_CONTEXT,
          new MetaContextOption(true));

  private Options() {}

  /** Handles one option. Every option gets a reply or closes the connection, whatever its data. */
  public static void handle(
      int option, ByteBuffer data, Exports exports, Negotiation n, Replies out) {
    OptionHandler h = HANDLERS.get(option);
    if (h == null) {
      out.error(Nbd.REP_ERR_UNSUP, "option " + option + " is not supported");
      return;
    }
    try {
      h.handle(data, exports, n, out);
    } catch (BufferUnderflowException e) {
      out.error(Nbd.REP_ERR_INVALID, "option " + option + " is cut short");
    }
  }

  /** Reads a UTF-8 string that follows its 32-bit length. */
  static String string(ByteBuffer data) {
    int length = data.getInt();
    if (length < 0 || length > data.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] b = new byte[length];
    data.get(b);
    return new String(b, StandardCharsets.UTF_8);
  }
}
