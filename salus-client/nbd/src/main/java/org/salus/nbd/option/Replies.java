package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Takes an option handler's replies and sends them. */
public interface Replies {

  /** Sends an option reply. */
  void reply(int type, ByteBuffer data);

  /** Sends bytes without the frame of an option reply, as EXPORT_NAME needs. */
  void raw(ByteBuffer data);

  default void reply(int type) {
    reply(type, ByteBuffer.allocate(0));
  }

  /** Sends an error with a text for people. */
  default void error(int type, String text) {
    reply(type, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }
}
