package org.salus.master;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Finds out whether a DataNode is alive. The system takes connections for a process that is
 * stopped, too: so the DataNode itself must do something, which is to end a connection on which it
 * is asked for nothing. Blocks; for one thread.
 */
final class DataNodeProbe {
  private static final int CONNECT_MILLIS = 500;
  private static final int ANSWER_MILLIS = 2_000;

  /** A silent one takes time: it is not asked again so soon. */
  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** When a DataNode was silent last, in nanoseconds. */
  private final Map<String, Long> silent = new HashMap<>();

  /**
   * @param address "ip:port" of its data transfer server
   */
  boolean isAlive(String address) {
    Long since = silent.get(address);
    if (since != null && System.nanoTime() - since < SILENT_NANOS) {
      return false;
    }
    silent.remove(address);
    String[] parts = address.split(":");
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(parts[0], Integer.parseInt(parts[1])), CONNECT_MILLIS);
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
