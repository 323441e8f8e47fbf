package org.salus.nbd.option;

import java.nio.ByteBuffer;
import org.salus.nbd.Exports;

/** Handles one option of the handshake. */
interface OptionHandler {

  /**
   * Handles the option's data.
   *
   * @throws InvalidOptionException when the data is wrong, before anything is answered
   * @throws java.nio.BufferUnderflowException when the data is cut short, before anything is
   *     answered
   */
  void handle(ByteBuffer data, Exports exports, Negotiation n, Replies out)
      throws InvalidOptionException;
}
