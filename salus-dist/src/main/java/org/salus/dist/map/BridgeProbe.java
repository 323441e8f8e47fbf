package org.salus.dist.map;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.salus.nbd.Nbd;

/** Asks an NBD server for a volume, and leaves the connections of its clients alone. */
final class BridgeProbe {
  private static final int REPLY_HEADER = 20;
  private static final int LONGEST_REPLY = 1 << 16;

  /** What is wrong with a bridge. */
  record Complaint(String why, boolean hasNoVolume) {
    /** It does not serve anything. */
    private static Complaint down(String why) {
      return new Complaint(why, false);
    }
  }

  /** Ends a probe. */
  private static final class Failed extends IOException {
    private static final long serialVersionUID = 1L;

    Failed(String why) {
      super(why);
    }
  }

  private final long end;
  private final SocketChannel channel;
  private final Selector selector;
  private SelectionKey key;

  private BridgeProbe(SocketChannel channel, Selector selector, Duration patience) {
    this.channel = channel;
    this.selector = selector;
    this.end = System.nanoTime() + patience.toNanos();
  }

  /**
   * Why a server does not serve a volume now; null when it does.
   *
   * @param patience how long to wait for its answer
   * @throws IOException when this process could not ask it
   */
  static Complaint complaint(SocketAddress address, String volume, Duration patience)
      throws IOException {
    try (Selector selector = Selector.open();
        SocketChannel channel =
            address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open()) {
      return new BridgeProbe(channel, selector, patience).ask(address, volume);
    } catch (IOException unable) {
      throw new IOException("cannot ask a bridge: " + unable.getMessage(), unable);
    }
  }

  private Complaint ask(SocketAddress address, String volume) throws IOException {
    try {
      connect(address);
      return ask(volume);
    } catch (IOException | RuntimeException refused) { // such as an unknown host
      if (Thread.currentThread().isInterrupted()) {
        throw new IOException("interrupted", refused);
      }
      return Complaint.down(
          refused.getMessage() == null ? refused.toString() : refused.getMessage());
    }
  }

  private void connect(SocketAddress address) throws IOException {
    channel.configureBlocking(false);
    key = channel.register(selector, SelectionKey.OP_CONNECT);
    if (!channel.connect(address)) {
      do {
        await();
      } while (!channel.finishConnect());
    }
  }

  private Complaint ask(String volume) throws IOException {
    ByteBuffer greeting = receive(2 * Long.BYTES + Short.BYTES);
    if (greeting.getLong() != Nbd.NBDMAGIC || greeting.getLong() != Nbd.IHAVEOPT) {
      throw new Failed("it does not speak NBD");
    }
    byte[] name = volume.getBytes(StandardCharsets.UTF_8);
    int length = Integer.BYTES + name.length + Short.BYTES;
    send(
        ByteBuffer.allocate(Integer.BYTES + Long.BYTES + 2 * Integer.BYTES + length)
            .putInt(greeting.getShort() & (Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES))
            .putLong(Nbd.IHAVEOPT)
            .putInt(Nbd.OPT_INFO)
            .putInt(length)
            .putInt(name.length)
            .put(name)
            .putShort((short) 0)
            .flip());
    while (true) {
      ByteBuffer header = receive(REPLY_HEADER);
      int type = header.getInt(Long.BYTES + Integer.BYTES);
      int size = header.getInt(Long.BYTES + 2 * Integer.BYTES);
      if (header.getLong() != Nbd.OPTION_REPLY_MAGIC || size < 0 || size > LONGEST_REPLY) {
        throw new Failed("it does not speak NBD");
      }
      String text = StandardCharsets.UTF_8.decode(receive(size)).toString();
      if (type == Nbd.REP_ACK || type == Nbd.REP_ERR_UNSUP) {
        return null;
      }
      if (type < 0) {
        return new Complaint(text.isEmpty() ? "it does not offer '" + volume + "'" : text, true);
      }
    }
  }

  private ByteBuffer receive(int bytes) throws IOException {
    key.interestOps(SelectionKey.OP_READ);
    ByteBuffer b = ByteBuffer.allocate(bytes);
    while (b.hasRemaining()) {
      await();
      if (channel.read(b) < 0) {
        throw new Failed("it closes connections");
      }
    }
    return b.flip();
  }

  private void send(ByteBuffer b) throws IOException {
    key.interestOps(SelectionKey.OP_WRITE);
    while (b.hasRemaining()) {
      await();
      channel.write(b);
    }
  }

  /** Waits until something can be done. */
  private void await() throws IOException {
    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    boolean ready = left > 0 && selector.select(left) > 0;
    selector.selectedKeys().clear();
    if (!ready) {
      throw new Failed("it does not answer");
    }
  }
}
