package org.salus.nbd.option;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Takes an option handler's replies and sends them. */
public interface Replies {
  /** Most characters of an error's text. The protocol allows 4096 bytes. */
  int MAX_TEXT = 1000;

  /** Sends an option reply. */
  void reply(int type, ByteBuffer data);

  /** Sends bytes without the frame of an option reply, as EXPORT_NAME needs. */
  void raw(ByteBuffer data);

  default void reply(int type) {
    reply(type, ByteBuffer.allocate(0));
  }

  /** Sends an error with a text for people, cut at {@link #MAX_TEXT} characters. */
  default void error(int type, String text) {
    String shown = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
    reply(type, ByteBuffer.wrap(shown.getBytes(StandardCharsets.UTF_8)));
  }
}
