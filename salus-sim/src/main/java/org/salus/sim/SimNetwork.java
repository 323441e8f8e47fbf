package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.BiConsumer;
import org.salus.core.message.Message;
import org.salus.core.message.MessageCodec;
import org.salus.core.wire.MalformedException;

/** Carries encoded messages: delays and reorders always, drops and duplicates while it is faulty. */
final class SimNetwork {
  private final Clock clock;
  private final Random random;
  private boolean faulty;

  SimNetwork(Clock clock, Random random) {
    this.clock = clock;
    this.random = random;
  }

  void setFaulty(boolean on) {
    faulty = on;
  }

  void send(Message m, ByteBuffer payload, BiConsumer<Message, ByteBuffer> deliver) {
    if (faulty && random.nextInt(100) < 2) {
      return;
    }
    int copies = faulty && random.nextInt(100) < 2 ? 2 : 1;
    byte[] bytes = MessageCodec.encode(m);
    byte[] data = payload == null ? null : copy(payload);
    for (int i = 0; i < copies; i++) {
      clock.after(delay(), () -> deliver.accept(decode(bytes), data == null ? null : ByteBuffer.wrap(data.clone())));
    }
  }

  private long delay() {
    int kind = random.nextInt(100);
    long base = Clock.MICRO * (20 + random.nextInt(200));
    return !faulty || kind < 90 ? base : kind < 99 ? Clock.MILLI * (1 + random.nextInt(30)) : Clock.MILLI * (100 + random.nextInt(3000));
  }

  private static byte[] copy(ByteBuffer b) {
    byte[] c = new byte[b.remaining()];
    b.duplicate().get(c);
    return c;
  }

  private static Message decode(byte[] bytes) {
    try {
      return MessageCodec.decode(ByteBuffer.wrap(bytes));
    } catch (MalformedException e) {
      throw new IllegalStateException("encoded message cannot be decoded", e);
    }
  }
}
