package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.nbd.Exports;

/** Handles one option of the handshake. */
interface OptionHandler {

  /**
   * May throw {@link java.nio.BufferUnderflowException} on data that is cut; the caller answers
   * ERR_INVALID.
   */
  void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out);
}
