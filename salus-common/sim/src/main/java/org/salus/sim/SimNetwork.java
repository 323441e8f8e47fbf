package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.salus.core.Signer;
import org.salus.core.message.Envelope;
import org.salus.core.message.ForgedException;
import org.salus.core.message.Message;
import org.salus.core.message.Message.GetReply;
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
  /** A process that takes the messages of a machine. */
  interface Receiver {
    void take(Envelope e, ByteBuffer payload);
  }

  /** A message on its way: its bytes, and who takes what arrives at its end. */
  private record Frame(Message message, byte[] head, byte[] data, Receiver receiver) {}

  /** The most messages that a replaying node remembers. */
  private static final int MOST_REMEMBERED = 400;

  /** A replaying node sends an old message beside one of so many. */
  private static final int REPLAYS_ONE_OF = 4;

  private final Clock clock;
  private final boolean connections;
  private final Signer signer;
  private final Random random;

  /** For each link that is a connection, the time when its newest message arrives. */
  private final Map<String, Long> newest = new HashMap<>();

  private final Set<String> blocked = new TreeSet<>();

  /** What each replaying node has sent and got. */
  private final Map<String, List<Frame>> remembered = new TreeMap<>();

  private boolean faulty;
  private int alteredPerMille;

  SimNetwork(Clock clock, boolean connections, Signer signer, Random random) {
    this.clock = clock;
    this.connections = connections;
    this.signer = signer;
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

  boolean isBlocked(String from, String to) {
    return blocked.contains(from + ">" + to) || blocked.contains(to + ">" + from);
  }

  /** Sets whether a node sends again, now and then, what it has sent or got before. */
  void replay(String node, boolean on) {
    if (on) {
      remembered.put(node, new ArrayList<>());
    } else {
      remembered.remove(node);
    }
  }

  /**
   * @param from the name of a node, or {@code Levers.CLIENT}; so is {@code to}
   */
  void send(String from, String to, Envelope e, ByteBuffer payload, Receiver receiver) {
    String link = from + ">" + to;
    if (faulty && random.nextInt(100) < 2 || blocked.contains(link)) {
      return;
    }
    int copies = faulty && random.nextInt(100) < 2 ? 2 : 1;
    byte[] data = payload == null ? null : copy(payload);
    Frame frame = new Frame(e.message(), e.encode(signer), data, receiver);
    for (int i = 0; i < copies; i++) {
      transmit(link, frame);
    }
    remember(from, frame);
    remember(to, frame);
    if (remembered.containsKey(from) && random.nextInt(REPLAYS_ONE_OF) == 0) {
      replay(from, remembered.get(from));
    }
  }

  private void transmit(String link, Frame f) {
    clock.at(
        arrival(link),
        () -> {
          if (!blocked.contains(link)) {
            arrive(f);
          }
        });
  }

  private void remember(String node, Frame f) {
    List<Frame> frames = remembered.get(node);
    if (frames != null) {
      frames.add(f);
      if (frames.size() > MOST_REMEMBERED) {
        frames.remove(0);
      }
    }
  }

  /** Sends an old message again: as it was, or to where another one went, or addressed as that. */
  private void replay(String node, List<Frame> frames) {
    Frame old = frames.get(random.nextInt(frames.size()));
    Frame other = frames.get(random.nextInt(frames.size()));
    Frame again =
        switch (random.nextInt(3)) {
          case 0 -> old;
          case 1 -> new Frame(old.message, old.head, old.data, other.receiver);
          default ->
              new Frame(old.message, readdressed(old.head, other.head), old.data, other.receiver);
        };
    transmit(node + ">", again);
  }

  /** The head of a frame with the receiver of another one. */
  private static byte[] readdressed(byte[] head, byte[] as) {
    byte[] other = head.clone();
    System.arraycopy(
        as, Envelope.ENDPOINT_BYTES, other, Envelope.ENDPOINT_BYTES, Envelope.ENDPOINT_BYTES);
    return other;
  }

  private void arrive(Frame f) {
    byte[] head = f.head.clone();
    byte[] data = f.data == null ? null : f.data.clone();
    int crc = crc(head, data);
    boolean beforeCrc = false;
    if (alteredPerMille > 0 && random.nextInt(1000) < alteredPerMille) {
      // What a read must return, only the volume tree says.
      boolean covered = data != null && data.length > 0 && !(f.message instanceof GetReply);
      byte[] part = covered && random.nextBoolean() ? data : head;
      part[random.nextInt(part.length)] ^= (byte) (1 << random.nextInt(8));
      beforeCrc = f.message.proof() != Message.Proof.NONE && random.nextBoolean();
    }
    if (beforeCrc || crc == crc(head, data)) {
      try {
        f.receiver.take(
            Envelope.decode(ByteBuffer.wrap(head)).open(signer),
            data == null ? null : ByteBuffer.wrap(data));
      } catch (ForgedException e) {
        // The receiver drops it.
      } catch (MalformedException e) {
        if (!beforeCrc) {
          throw new IllegalStateException("encoded message cannot be decoded", e);
        }
      }
    }
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
