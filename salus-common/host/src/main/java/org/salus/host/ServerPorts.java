package org.salus.host;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses free ports for servers that keep their port over restarts. They are below the ports that
 * systems give to outgoing connections, which could occupy them at a restart. A chosen port is not
 * reserved until its server starts. So each kind has its own range, and processes that choose at
 * the same time begin far apart. Where a process begins depends on its pid, or on the system
 * property {@value #PLACE}: pids may be as far apart as brings two processes to the same ports.
 * Thread-safe.
 */
public enum ServerPorts {
  /** For the NameNode and DataNodes. */
  HDFS(10_000),
  /** For all other servers. */
  OTHERS(20_000);

  /** The first port above all ranges. */
  public static final int END = 30_000;

  private static final int COUNT = 10_000;
  private static final int TRIES = 1_000;

  /** The system property with the place of a process among those that choose at the same time. */
  public static final String PLACE = "salus.ports.place";

  /** Distance between the first ports of neighbouring places. It is coprime to {@link #COUNT}. */
  private static final long STRIDE = 1_009;

  private final int lowest;
  private final AtomicLong next =
      new AtomicLong(Long.getLong(PLACE, ProcessHandle.current().pid()) * STRIDE);

  ServerPorts(int lowest) {
    this.lowest = lowest;
  }

  /**
   * Takes a free port of this kind. Nobody else gets it before the socket is closed.
   *
   * @param address an address of this machine
   * @throws BindException when no free port is found
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
    throw new BindException("found no free port on " + address);
  }

  /** Whether nobody listens on a port. */
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
