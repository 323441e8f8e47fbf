package org.salus.dist.map;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a bridge serves: a Unix socket, or a host and a port. Immutable.
 *
 * @param socket the Unix socket; null for TCP
 * @param host the host, an IPv6 address in brackets; null for a Unix socket
 */
public record BridgeAddress(Path socket, String host, int port) {
  /** What the address of a Unix socket begins with. */
  public static final String UNIX = "unix:";

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

  /** Why the bridge does not serve the volume now; empty when it does. */
  Optional<BridgeProbe.Complaint> complaint(String volume) {
    try {
      return Optional.ofNullable(BridgeProbe.complaint(address(), volume));
    } catch (RuntimeException nonsense) { // such as a path that is too long
      return Optional.of(new BridgeProbe.Complaint(nonsense.toString(), false));
    }
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
