package org.salus.dist.map;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.salus.nbd.Nbd;

/**
 * Where a bridge serves: a Unix socket, or a host and a port. Immutable.
 *
 * @param socket the Unix socket; null for TCP
 * @param host the host, an IPv6 address in brackets; null for a Unix socket
 */
public record BridgeAddress(Path socket, String host, int port) {
  /** What the address of a Unix socket begins with. */
  public static final String UNIX = "unix:";

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  public static BridgeAddress unix(Path socket) {
    return new BridgeAddress(socket.toAbsolutePath(), null, 0);
  }

  public static BridgeAddress tcp(String host, int port) {
    return new BridgeAddress(null, host, port);
  }

  /**
   * Parses what {@link #toString} gives.
   *
   * @throws IllegalArgumentException when it is something else
   */
  static BridgeAddress parse(String text) {
    if (text.startsWith(UNIX)) {
      return unix(Path.of(text.substring(UNIX.length())));
    }
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("'" + text + "' is no address");
    }
    return tcp(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
  }

  /** The options of QEMU's block driver for this server. In these a comma is written twice. */
  String options() {
    return socket != null
        ? "server.type=unix,server.path=" + socket.toString().replace(",", ",,")
        : "server.type=inet,server.host=" + bare() + ",server.port=" + port;
  }

  private String bare() {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /** Why no NBD server greets at the address now; empty when one does. */
  public Optional<String> complaint() {
    long end = System.nanoTime() + PATIENCE_NANOS;
    try (SocketChannel channel =
            socket != null
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
        Selector selector = Selector.open()) {
      SocketAddress address = address();
      channel.configureBlocking(false);
      SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
      if (!channel.connect(address)) {
        do {
          if (!isReady(selector, end)) {
            return Optional.of("it does not answer");
          }
        } while (!channel.finishConnect());
      }
      key.interestOps(SelectionKey.OP_READ);
      ByteBuffer greeting = ByteBuffer.allocate(Long.BYTES);
      while (greeting.hasRemaining()) {
        if (!isReady(selector, end)) {
          return Optional.of("it does not answer");
        }
        if (channel.read(greeting) < 0) {
          return Optional.of("it closes connections");
        }
      }
      return greeting.getLong(0) == Nbd.NBDMAGIC
          ? Optional.empty()
          : Optional.of("it does not speak NBD");
    } catch (IOException | RuntimeException refused) { // such as an unknown host
      return Optional.of(refused.getMessage() == null ? refused.toString() : refused.getMessage());
    }
  }

  /** Whether something can be done before the time ends. */
  private static boolean isReady(Selector selector, long end) throws IOException {
    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    boolean ready = left > 0 && selector.select(left) > 0;
    selector.selectedKeys().clear();
    return ready;
  }

  private SocketAddress address() {
    return socket != null
        ? UnixDomainSocketAddress.of(socket)
        : new InetSocketAddress(bare(), port);
  }

  @Override
  public String toString() {
    return socket != null ? UNIX + socket : host + ":" + port;
  }
}
