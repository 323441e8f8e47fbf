package org.salus.host;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ports for servers that are to have the same ones at their next start: below those that systems
 * give to outgoing connections, which might have them then. A port is only known to be free, not
 * kept so, from when it is chosen until its server starts. So each kind has ports of its own, and
 * processes that choose at the same time begin far apart. Thread-safe.
 */
public enum ServerPorts {
  /** For the NameNode and DataNodes. */
  HDFS(10_000),
  /** For all other servers. */
  OTHERS(20_000);

  /** Above all of them. */
  public static final int END = 30_000;

  private static final int COUNT = 10_000;
  private static final int TRIES = 1_000;

  /** Coprime to the number of ports, so that pids near each other begin far from each other. */
  private static final long STRIDE = 1_009;

  private final int lowest;
  private final AtomicLong next = new AtomicLong(ProcessHandle.current().pid() * STRIDE);

  ServerPorts(int lowest) {
    this.lowest = lowest;
  }

  /**
   * Takes a port of this kind that is free; nobody else gets it before the socket is closed.
   *
   * @param address of this host
   * @throws BindException when none is found
   */
  public ServerSocket take(String address) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      ServerSocket socket = new ServerSocket();
      try {
        bind(socket, address, lowest + (int) (next.getAndIncrement() % COUNT));
        return socket;
      } catch (IOException failed) {
        socket.close();
        if (!(failed instanceof BindException)) {
          throw failed;
        }
      }
    }
    throw new BindException("finds no free port on " + address);
  }

  /** Whether nobody listens there. */
  public static boolean isFree(String address, int port) {
    try (ServerSocket socket = new ServerSocket()) {
      bind(socket, address, port);
      return true;
    } catch (IOException taken) {
      return false;
    }
  }

  private static void bind(ServerSocket socket, String address, int port) throws IOException {
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getByName(address), port), 1);
  }
}
