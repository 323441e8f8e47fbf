package org.salus.host.netty;

import java.nio.ByteBuffer;

/**
 * Told of a connection's events, always on its loop. An exception thrown from here is a bug: it
 * goes to the fault handler and closes the connection.
 */
public interface FrameHandler {
  /** The connection can be used. Called once, before its first frame. */
  default void onOpen(FrameConnection connection) {}

  /**
   * A whole, undamaged frame has arrived. Both buffers belong to the receiver, are big endian and
   * start at 0.
   */
  void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload);

  /** The connection is closed. Called once, as the last event. */
  default void onClosed(FrameConnection connection) {}
}
