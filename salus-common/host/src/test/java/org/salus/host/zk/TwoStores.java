package org.salus.host.zk;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;

/** A ZooKeeper server in this process, and two stores that are connected to it. */
final class TwoStores implements AutoCloseable {
  static final VolumeRecord DISK =
      new VolumeRecord(
          new VolumeSpec("disk0", 0x1234567L, 4096, 1000, 2, false, 1 << 27),
          VolumeRecord.State.ACTIVE);
  static final Signer SIGNER = new Signer(new byte[0]);
  static final RrsRecord FIRST = rrs(1, RrsRecord.State.OPENING, "a:1", "b:1", "c:1");
  static final RrsRecord SECOND = rrs(2, RrsRecord.State.SERVING, "a:1", "c:1");

  private final ZooKeeperServer zookeeper;
  private final NIOServerCnxnFactory factory = new NIOServerCnxnFactory();
  private final ClusterStore one;
  private final ClusterStore two;

  TwoStores(Path directory) throws Exception {
    zookeeper = new ZooKeeperServer(directory.toFile(), directory.toFile(), 500);
    factory.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    factory.startup(zookeeper);
    one = connect();
    two = connect();
    one.createVolume(DISK);
  }

  private static List<RrsRecord.Member> members(String... nodes) {
    return Arrays.stream(nodes).map(n -> new RrsRecord.Member(n, 7, n)).toList();
  }

  private static RrsRecord rrs(int epoch, RrsRecord.State state, String... nodes) {
    return new RrsRecord(
        EpochLink.first(DISK.spec().regionId(0), epoch, members(nodes), members(nodes), SIGNER),
        state,
        "");
  }

  private ClusterStore connect() throws ClusterStoreException {
    return ClusterStore.connect(
        "127.0.0.1:" + factory.getLocalPort(), Duration.ofSeconds(10), Duration.ofSeconds(4));
  }

  ClusterStore one() {
    return one;
  }

  ClusterStore two() {
    return two;
  }

  ZooKeeperServer server() {
    return zookeeper;
  }

  int port() {
    return factory.getLocalPort();
  }

  /** A server's registration, proven with this secret. */
  static ServerRecord server(String node, byte[] secret) {
    return ServerRecord.of(node, "127.0.0.1", 7, "127.0.0.1:9866", 5, secret);
  }

  /** A client that writes what it likes, as anybody can who reaches ZooKeeper. */
  CuratorFramework raw() {
    CuratorFramework raw =
        CuratorFrameworkFactory.newClient("127.0.0.1:" + port(), new RetryOneTime(100));
    raw.start();
    return raw;
  }

  @Override
  public void close() {
    one.close();
    two.close();
    factory.shutdown();
  }
}
