package org.salus.master;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.salus.host.DaemonThreads;
import org.salus.host.zk.ServerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices within moments that a server's process is gone, and within 5 s that it is silent. Its
 * session in ZooKeeper ends much later. The probe listens on a connection to each server's data
 * port, which sends heartbeats. Thread-safe.
 */
final class ServerProbe implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerProbe.class);
  private static final int CONNECT_MILLIS = 3_000;

  /** The silence after which a server does not answer: longer than two heartbeats. */
  private static final int SILENCE_MILLIS = 5_000;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  private final Runnable changed;
  private final Map<String, Listener> listeners = new HashMap<>();

  /**
   * @param changed runs when a server stops or starts to answer; any thread of the probe may run it
   */
  ServerProbe(Runnable changed) {
    this.changed = changed;
  }

  /**
   * Probes exactly these servers, which are registered now.
   *
   * @param servers the servers by node
   */
  synchronized void follow(Map<String, ServerRecord> servers) {
    for (String node : List.copyOf(listeners.keySet())) {
      if (!listeners.get(node).server.equals(servers.get(node))) {
        listeners.remove(node).end();
      }
    }
    servers.forEach((node, server) -> listeners.computeIfAbsent(node, n -> listening(n, server)));
  }

  private Listener listening(String node, ServerRecord server) {
    Listener listener = new Listener(node, server);
    DaemonThreads.start("salus-probe-" + node, listener);
    return listener;
  }

  /** Returns those of the servers that answer. A server that is not probed counts as answering. */
  synchronized Map<String, ServerRecord> answering(Map<String, ServerRecord> servers) {
    Map<String, ServerRecord> answering = new HashMap<>(servers);
    answering
        .keySet()
        .removeIf(node -> listeners.containsKey(node) && !listeners.get(node).answers);
    return answering;
  }

  @Override
  public synchronized void close() {
    listeners.values().forEach(Listener::end);
    listeners.clear();
  }

  private final class Listener implements Runnable {
    final String node;
    final ServerRecord server;
    volatile boolean answers = true;
    private volatile boolean ended;
    private volatile Socket socket = new Socket();

    Listener(String node, ServerRecord server) {
      this.node = node;
      this.server = server;
    }

    @Override
    public void run() {
      while (!ended) {
        try (Socket s = new Socket()) {
          socket = s;
          s.connect(new InetSocketAddress(server.host(), server.port()), CONNECT_MILLIS);
          s.setSoTimeout(SILENCE_MILLIS);
          if (!listen(s)) {
            throw new EOFException("closed before the first heartbeat");
          }
        } catch (IOException gone) {
          note(false);
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }

    /**
     * Sends heartbeats back, because the server closes a connection that is silent. Returns at its
     * end whether there was any.
     */
    private boolean listen(Socket s) throws IOException {
      boolean heard = false;
      InputStream in = s.getInputStream();
      byte[] heartbeats = new byte[64];
      for (int n = in.read(heartbeats); n >= 0; n = in.read(heartbeats)) {
        heard = true;
        note(true);
        s.getOutputStream().write(heartbeats, 0, n);
      }
      return heard;
    }

    private void note(boolean now) {
      if (answers != now && !ended) {
        answers = now;
        LOG.info("{} {}", node, now ? "answers again" : "does not answer");
        changed.run();
      }
    }

    void end() {
      ended = true;
      try {
        socket.close();
      } catch (IOException closed) {
        LOG.debug("closing the connection to {}", node, closed);
      }
    }
  }
}
