package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.nbd.Exports;

/** Handles one option of the handshake. */
interface OptionHandler {

  /**
   * Handles the option's data.
   *
   * @throws java.nio.BufferUnderflowException when the data is cut short; the caller answers
   *     ERR_INVALID
   */
  void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out);
}
