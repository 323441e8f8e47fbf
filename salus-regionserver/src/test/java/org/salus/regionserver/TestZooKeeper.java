package org.salus.regionserver;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;

/** A ZooKeeper in this process. */
public final class TestZooKeeper implements AutoCloseable {
  private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();

  public TestZooKeeper(Path dir) throws Exception {
    factory.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    factory.startup(new ZooKeeperServer(dir.toFile(), dir.toFile(), 500));
  }

  /** Its {@code host:port}. */
  public String quorum() {
    return "127.0.0.1:" + factory.getLocalPort();
  }

  public ClusterStore connect() throws ClusterStoreException {
    return ClusterStore.connect(quorum(), Duration.ofSeconds(10), Duration.ofSeconds(4));
  }

  @Override
  public void close() {
    factory.shutdown();
  }
}
