package org.salus.host.netty;

import java.nio.ByteBuffer;

/**
 * What a connection tells its owner, always on the connection's loop. An exception thrown from here
 * is a bug: it goes to the fault handler and closes the connection.
 */
public interface FrameHandler {
  /** The connection can be used; comes before its first frame. */
  default void onOpen(FrameConnection connection) {}

  /**
   * A whole, undamaged frame. Both buffers belong to the receiver for good, are big endian and
   * start at 0.
   */
  void onFrame(FrameConnection connection, ByteBuffer head, ByteBuffer payload);

  /** The connection is gone; comes once and last. */
  default void onClosed(FrameConnection connection) {}
}
