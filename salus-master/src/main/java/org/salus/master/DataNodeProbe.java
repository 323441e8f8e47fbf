package org.salus.master;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether a DataNode is alive. The system accepts connections even for a stopped process,
 * so the DataNode itself must act. The probe sends nothing and shuts its side down; a live DataNode
 * then ends the connection. Blocks for up to 2.5 s; for one thread.
 */
final class DataNodeProbe {
  private static final int CONNECT_MILLIS = 500;
  private static final int ANSWER_MILLIS = 2_000;

  /**
   * The time for which a silent DataNode counts as dead and is not asked again, because asking it
   * takes long.
   */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** When a DataNode was last silent, in nanoseconds, by address. */
  private final Map<String, Long> silent = new HashMap<>();

  /**
   * Whether the DataNode is alive.
   *
   * @param address "ip:port" of its data transfer server
   */
  boolean isAlive(String address) {
    Long since = silent.get(address);
    if (since != null && System.nanoTime() - since < SILENT_NANOS) {
      return false;
    }
    silent.remove(address);
    int colon = address.lastIndexOf(':');
    InetSocketAddress at =
        new InetSocketAddress(
            address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    try (Socket socket = new Socket()) {
      socket.connect(at, CONNECT_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      socket.shutdownOutput();
      socket.getInputStream().read();
      return true;
    } catch (SocketTimeoutException stopped) {
      silent.put(address, System.nanoTime());
      return false;
    } catch (IOException refused) {
      return false;
    }
  }
}
