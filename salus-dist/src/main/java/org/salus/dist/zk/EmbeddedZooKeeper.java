package org.salus.dist.zk;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.PurgeTxnLog;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * One ZooKeeper server in this process, with its data in a directory. Thread-safe after the start.
 */
public final class EmbeddedZooKeeper implements AutoCloseable {
  private static final int TICK_MILLIS = 1_000;
  private static final int CONNECTIONS = 1_000;
  private static final int SNAPSHOTS_KEPT = 3;

  private final ZooKeeperServer server;
  private final ServerCnxnFactory connections;

  private EmbeddedZooKeeper(ZooKeeperServer server, ServerCnxnFactory connections) {
    this.server = server;
    this.connections = connections;
  }

  /**
   * Starts the server.
   *
   * @param dir the directory of its data; created when it is missing
   * @param address the address on which it listens
   * @param endSessions whether to end the sessions in its data. Use it when their process is gone:
   *     until they time out, they would keep locks and servers' names.
   */
  public static EmbeddedZooKeeper start(Path dir, InetSocketAddress address, boolean endSessions)
      throws IOException {
    System.setProperty("zookeeper.admin.enableServer", "false");
    System.setProperty("zookeeper.preAllocSize", "1024");
    File data = Files.createDirectories(dir).toFile();
    if (Files.exists(dir.resolve("version-2"))) {
      PurgeTxnLog.purge(data, data, SNAPSHOTS_KEPT);
    }
    ServerCnxnFactory connections = new NIOServerCnxnFactory();
    try {
      ZooKeeperServer server = new ZooKeeperServer(data, data, TICK_MILLIS);
      server.loadData();
      List<Long> gone =
          endSessions
              ? List.copyOf(server.getZKDatabase().getSessionWithTimeOuts().keySet())
              : List.of();
      connections.configure(address, CONNECTIONS);
      connections.startup(server);
      gone.forEach(server::closeSession);
      return new EmbeddedZooKeeper(server, connections);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      connections.shutdown();
      throw new IOException("interrupted while ZooKeeper started", interrupted);
    } catch (IOException | RuntimeException failed) {
      connections.shutdown();
      throw failed;
    }
  }

  /** Whether it serves. */
  public boolean isRunning() {
    return server.isRunning();
  }

  @Override
  public void close() {
    connections.shutdown();
    server.shutdown(true);
  }
}
