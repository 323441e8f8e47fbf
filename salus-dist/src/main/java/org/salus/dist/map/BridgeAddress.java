package org.salus.dist.map;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Where a bridge serves: a Unix socket, or a host and a port. Immutable.
 *
 * @param socket the Unix socket; null for TCP
 * @param host the host, an IPv6 address in brackets; null for a Unix socket
 */
public record BridgeAddress(Path socket, String host, int port) {
  /** What the address of a Unix socket begins with. */
  public static final String UNIX = "unix:";

  /** How long a bridge may take to answer, for one look. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

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
        : "server.type=inet,server.host="
            + bare()
            + ",server.port="
            + port
            + ",server.keep-alive=on"; // a host that vanishes sends nothing
  }

  private String bare() {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /**
   * Why the bridge does not serve the volume now; empty when it does.
   *
   * @throws IOException when this process could not ask it
   */
  Optional<BridgeProbe.Complaint> complaint(String volume) throws IOException {
    return complaint(volume, PATIENCE);
  }

  /**
   * Same, but for a bridge that gives no sign as long as {@code patience}. One that is slow serves.
   */
  Optional<BridgeProbe.Complaint> lastingComplaint(String volume, Duration patience)
      throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      long left = Math.max(PATIENCE.toNanos(), end - System.nanoTime());
      Optional<BridgeProbe.Complaint> now = complaint(volume, Duration.ofNanos(left));
      if (now.isEmpty() || now.get().hasNoVolume() || System.nanoTime() - end > 0) {
        return now;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** Same as {@link #complaint(String)}, for a bridge that may take so long to answer. */
  Optional<BridgeProbe.Complaint> complaint(String volume, Duration patience) throws IOException {
    SocketAddress address;
    try {
      address = address();
    } catch (RuntimeException nonsense) { // such as a path that is too long
      return Optional.of(new BridgeProbe.Complaint(nonsense.toString(), false));
    }
    return Optional.ofNullable(BridgeProbe.complaint(address, volume, patience));
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
