package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.zip.CRC32C;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Certified;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Vote;
import org.salus.core.message.MessageCodec;
import org.salus.core.wire.MalformedException;

/**
 * Carries encoded messages. It always delays and reorders them; while it is faulty it also drops,
 * duplicates, alters and blocks them.
 *
 * <p>Links that are connections, as with TCP, deliver everything once and in order unless it is
 * blocked.
 *
 * <p>A frame's CRC32C detects most alterations, and such a frame is dropped. Alterations before the
 * CRC is computed are left to the receiver, which has signatures and checksums inside the messages.
 */
final class SimNetwork {
  private final Clock clock;
  private final boolean connections;
  private final Random random;

  /** For each link that is a connection, the time when its newest message arrives. */
  private final Map<String, Long> newest = new HashMap<>();

  private final Set<String> blocked = new TreeSet<>();
  private boolean faulty;
  private int alteredPerMille;

  SimNetwork(Clock clock, boolean connections, Random random) {
    this.clock = clock;
    this.connections = connections;
    this.random = random;
  }

  void setFaulty(boolean on) {
    faulty = on && !connections;
  }

  void alter(int perMille) {
    alteredPerMille = perMille;
  }

  void block(String from, String to, boolean on) {
    if (on) {
      blocked.add(from + ">" + to);
    } else {
      blocked.remove(from + ">" + to);
    }
  }

  /**
   * @param from the name of a node, or {@code Levers.CLIENT}; so is {@code to}
   */
  void send(
      String from,
      String to,
      Message m,
      ByteBuffer payload,
      BiConsumer<Message, ByteBuffer> deliver) {
    String link = from + ">" + to;
    if (faulty && random.nextInt(100) < 2 || blocked.contains(link)) {
      return;
    }
    int copies = faulty && random.nextInt(100) < 2 ? 2 : 1;
    byte[] head = MessageCodec.encode(m);
    byte[] data = payload == null ? null : copy(payload);
    for (int i = 0; i < copies; i++) {
      clock.at(
          arrival(link),
          () -> {
            if (!blocked.contains(link)) {
              arrive(m, head.clone(), data == null ? null : data.clone(), deliver);
            }
          });
    }
  }

  private void arrive(
      Message m, byte[] head, byte[] data, BiConsumer<Message, ByteBuffer> deliver) {
    int crc = crc(head, data);
    boolean beforeCrc = false;
    if (alteredPerMille > 0 && random.nextInt(1000) < alteredPerMille) {
      byte[] part = data != null && data.length > 0 && random.nextBoolean() ? data : head;
      part[random.nextInt(part.length)] ^= (byte) (1 << random.nextInt(8));
      beforeCrc = isProtected(m) && random.nextBoolean();
    }
    if (beforeCrc || crc == crc(head, data)) {
      try {
        deliver.accept(
            MessageCodec.decode(ByteBuffer.wrap(head)),
            data == null ? null : ByteBuffer.wrap(data));
      } catch (MalformedException e) {
        if (!beforeCrc) {
          throw new IllegalStateException("encoded message cannot be decoded", e);
        }
      }
    }
  }

  /**
   * Whether a signature covers what the message says, or its receiver can check it in another way.
   */
  private static boolean isProtected(Message m) {
    return m instanceof PutRequest
        || m instanceof Chain
        || m instanceof Certified
        || m instanceof Vote
        || m instanceof Commit
        || m instanceof Refused;
  }

  private static int crc(byte[] head, byte[] data) {
    CRC32C crc = new CRC32C();
    crc.update(head);
    if (data != null) {
      crc.update(data);
    }
    return (int) crc.getValue();
  }

  private long arrival(String link) {
    long at = clock.now() + delay();
    return connections ? newest.merge(link, at, Math::max) : at;
  }

  private long delay() {
    int kind = random.nextInt(100);
    long base = Clock.MICRO * (20 + random.nextInt(200));
    return !faulty || kind < 90
        ? base
        : kind < 99
            ? Clock.MILLI * (1 + random.nextInt(30))
            : Clock.MILLI * (100 + random.nextInt(3000));
  }

  private static byte[] copy(ByteBuffer b) {
    byte[] c = new byte[b.remaining()];
    b.duplicate().get(c);
    return c;
  }
}
