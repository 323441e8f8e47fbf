package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Takes what an option handler answers. */
public interface Replies {

  /** An option reply of this type. */
  void reply(int type, ByteBuffer data);

  /** Bytes without the frame of an option reply: the answer to EXPORT_NAME. */
  void raw(ByteBuffer data);

  default void reply(int type) {
    reply(type, ByteBuffer.allocate(0));
  }

  /** An error with a text for people. */
  default void error(int type, String text) {
    reply(type, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }
}
