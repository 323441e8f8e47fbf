package org.salus.nbd.option;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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
      refuse(option, Nbd.REP_ERR_INVALID, "option " + option + " is cut short", n, out);
    } catch (InvalidOptionException e) {
      refuse(option, Nbd.REP_ERR_INVALID, e.getMessage(), n, out);
    }
  }

  /** Answers an option that has so much data that nobody keeps it. */
  public static void tooBig(int option, Negotiation n, Replies out) {
    if (option == Nbd.OPT_SET_META_CONTEXT) {
      n.clearMetaContext();
    }
    if (option == Nbd.OPT_ABORT) {
      new AbortOption().handle(null, null, n, out);
    } else {
      int error = HANDLERS.containsKey(option) ? Nbd.REP_ERR_TOO_BIG : Nbd.REP_ERR_UNSUP;
      refuse(option, error, "option " + option + " has too much data", n, out);
    }
  }

  /** Answers with an error, or ends the handshake: EXPORT_NAME has no error reply. */
  private static void refuse(int option, int error, String why, Negotiation n, Replies out) {
    if (option == Nbd.OPT_EXPORT_NAME) {
      n.end();
    } else {
      out.error(error, why);
    }
  }

  /** Reads a string that follows its 32-bit length. */
  static String string(ByteBuffer data) throws InvalidOptionException {
    int length = data.getInt();
    if (length < 0 || length > data.remaining()) {
      throw new BufferUnderflowException();
    }
    String s = text(data.slice().limit(length));
    data.position(data.position() + length);
    return s;
  }

  /** Decodes a whole string, within the protocol's rules for strings. */
  static String text(ByteBuffer bytes) throws InvalidOptionException {
    if (bytes.remaining() > Nbd.MAX_STRING) {
      throw new InvalidOptionException("a string is longer than " + Nbd.MAX_STRING + " bytes");
    }
    try {
      String s = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      if (s.indexOf('\0') >= 0) {
        throw new InvalidOptionException("a string has a NUL character");
      }
      return s;
    } catch (CharacterCodingException e) {
      throw new InvalidOptionException("a string is not UTF-8");
    }
  }
}
