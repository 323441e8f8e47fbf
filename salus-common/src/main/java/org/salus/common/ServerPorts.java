package org.salus.common;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that are to have the same ones at their next start: below those that systems give to outgoing
 * connections, which might have them then.
 */
public final class ServerPorts {
  /** Above all of them. */
  public static final int END = 30_000;

  private static final int LOWEST = 10_000;
  private static final int TRIES = 1_000;

  private ServerPorts() {}

  /**
   * Takes a port that is free; nobody else gets it before the socket is closed.
   *
   * @param address of this host
   * @throws BindException when none is found
   */
  public static ServerSocket take(String address) throws IOException {
    for (int i = 0; i < TRIES; i++) {
      ServerSocket socket = new ServerSocket();
      try {
        bind(socket, address, ThreadLocalRandom.current().nextInt(LOWEST, END));
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
