package org.salus.host.zk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.salus.host.DaemonThreads;

/**
 * Carries a client's connections to ZooKeeper. It can cut the one on which a transaction is asked
 * for, after ZooKeeper has answered and before the client has the answer. It can do something first
 * when it is asked for one, and it can fall silent.
 */
final class CuttingProxy implements AutoCloseable {
  /** The type of a transaction in a request's header. */
  private static final int MULTI = 14;

  private final ServerSocket server;
  private final int zookeeper;
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicReference<ClusterNodes.Call<?>> first = new AtomicReference<>(() -> null);
  private final AtomicInteger cuts = new AtomicInteger();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile boolean silent;

  CuttingProxy(int zookeeper) throws IOException {
    this.zookeeper = zookeeper;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    DaemonThreads.start("proxy", this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  /** Cuts the next connection on which a transaction is asked for. */
  void cutAfterTransaction() {
    armed.set(true);
  }

  /** Does something before it carries the next request for a transaction. */
  void beforeTransaction(ClusterNodes.Call<?> action) {
    first.set(action);
  }

  /** Carries nothing more from now on, and leaves its connections open. */
  void fallSilent() {
    silent = true;
  }

  /** The number of connections that were made to it. */
  int accepted() {
    return accepted.get();
  }

  int cuts() {
    return cuts.get();
  }

  private void accept() {
    try {
      while (true) {
        Connection c = new Connection(server.accept(), new Socket("127.0.0.1", zookeeper));
        accepted.incrementAndGet();
        DaemonThreads.start("proxy requests", c::requests);
        DaemonThreads.start("proxy answers", c::answers);
      }
    } catch (IOException closed) {
      return;
    }
  }

  /** One connection of the client and the one to ZooKeeper that belongs to it. */
  private final class Connection {
    private final Socket client;
    private final Socket to;

    /** The number of the transaction whose answer is to be lost; 0 is none. */
    private volatile int cutAt;

    Connection(Socket client, Socket to) {
      this.client = client;
      this.to = to;
    }

    /** Carries requests, each a length and as many bytes; the first has no header. */
    private void requests() {
      try {
        boolean isHello = true;
        while (true) {
          byte[] frame = read(client.getInputStream());
          if (!isHello && ByteBuffer.wrap(frame).getInt(8) == MULTI) {
            ClusterNodes.run("the test", first.getAndSet(() -> null));
            cutAt = armed.getAndSet(false) ? ByteBuffer.wrap(frame).getInt(4) : cutAt;
          }
          isHello = false;
          carry(to.getOutputStream(), frame);
        }
      } catch (IOException closed) {
        close();
      }
    }

    private void answers() {
      try {
        while (true) {
          byte[] frame = read(to.getInputStream());
          if (cutAt != 0 && ByteBuffer.wrap(frame).getInt(4) == cutAt) {
            cuts.incrementAndGet();
            close();
            return;
          }
          carry(client.getOutputStream(), frame);
        }
      } catch (IOException closed) {
        close();
      }
    }

    private void carry(OutputStream out, byte[] frame) throws IOException {
      if (!silent) {
        out.write(frame);
        out.flush();
      }
    }

    private void close() {
      try {
        client.close();
        to.close();
      } catch (IOException already) {
        return;
      }
    }
  }

  /** Reads a frame with its length. */
  private static byte[] read(InputStream in) throws IOException {
    byte[] length = in.readNBytes(4);
    if (length.length < 4) {
      throw new IOException("the end");
    }
    byte[] rest = in.readNBytes(ByteBuffer.wrap(length).getInt());
    return ByteBuffer.allocate(4 + rest.length).put(length).put(rest).array();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
