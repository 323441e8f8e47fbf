package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.member.RegionMember;
import org.salus.host.ServerPorts;
import org.salus.host.config.ServerSettings;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.ClusterStore;

class RunningEngineTest {
  private static final String NODE = "node0:16020";

  @TempDir Path dir;

  /** There is no NameNode, and before a volume exists an engine needs only its word. */
  private static ServerContext context(
      String host, String zookeeper, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    all.put("fs.defaultFS", "hdfs://127.0.0.1:1");
    all.put("salus.server.loops", "1");
    all.put(ServerSettings.PORT.key(), "0");
    all.putAll(settings);
    return new ServerContext(
        NODE,
        host,
        7,
        zookeeper,
        all,
        (what, bug) -> {
          throw new AssertionError(what, bug);
        },
        new Metrics());
  }

  private static RunningEngine start(ServerContext context) throws IOException {
    return RunningEngine.start(context, RegionMember::new, () -> true, () -> {});
  }

  private static long threadsOf(String host) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.isAlive() && t.getName().startsWith("salus-" + host))
        .count();
  }

  private static boolean hasBean() throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .isRegistered(new ObjectName("org.salus:type=Scrub,node=" + ObjectName.quote(NODE)));
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  @Test
  void closedEngineIsNoLongerRegisteredAndHasNoThreads() throws Exception {
    String host = "127.0.0.1";
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      RunningEngine engine = start(context(host, zookeeper.quorum(), Map.of()));
      assertThat(store.servers()).containsOnlyKeys(NODE);
      assertThat(hasBean()).isTrue();
      assertThat(threadsOf(host)).isPositive();
      engine.close();
      assertThat(store.servers()).isEmpty();
      assertThat(hasBean()).isFalse();
      await(() -> threadsOf(host) == 0);
    }
  }

  @Test
  void failedStartLeavesNothingBehind() throws Exception {
    String notHere = "192.0.2.1"; // an address for documentation: nobody can listen on it
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      assertThatIOException()
          .isThrownBy(() -> start(context(notHere, zookeeper.quorum(), Map.of())));
      assertThat(store.servers()).isEmpty();
      assertThat(hasBean()).isFalse();
      await(() -> threadsOf(notHere) == 0);
    }
  }

  @Test
  void noEngineStartsBeforeTheNameNodeHasSaidThatItIsGuarded() throws Exception {
    String host = "127.0.0.1";
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      assertThatIOException()
          .isThrownBy(
              () ->
                  RunningEngine.start(
                      context(host, zookeeper.quorum(), Map.of()), RegionMember::new, () -> {}))
          .withMessageContaining("the NameNode does not say whether it is guarded");
      assertThat(store.servers()).isEmpty();
      await(() -> threadsOf(host) == 0);
    }
  }

  @Test
  void theDataPortIsAsSetAndWhoFindsItTakenSaysSo() throws Exception {
    String host = "127.0.0.1";
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect();
        ServerSocket socket = ServerPorts.OTHERS.take(host)) {
      int port = socket.getLocalPort();
      Map<String, String> settings =
          Map.of(
              ServerSettings.PORT.key(),
              Integer.toString(port),
              "hbase.regionserver.ipc.address",
              "0.0.0.0");
      ServerContext context = context(host, zookeeper.quorum(), settings);
      assertThatIOException()
          .isThrownBy(() -> start(context))
          .withMessageContaining("cannot listen on 0.0.0.0:" + port)
          .withMessageContaining("another one by salus.server.port");
      socket.close();
      try (RunningEngine engine = start(context);
          Socket byAnotherAddress = new Socket("127.0.0.9", port)) {
        assertThat(byAnotherAddress.isConnected()).isTrue();
        assertThat(store.servers().get(NODE).port()).isEqualTo(port);
        assertThat(store.servers().get(NODE).host()).isEqualTo(host);
      }
    }
  }

  @Test
  void anEngineThatMayNotServeAnyLongerEndsAndStartsAgainWhenItMay() throws Exception {
    BlockingQueue<Runnable> started = new LinkedBlockingQueue<>();
    AtomicBoolean guarded = new AtomicBoolean(true);
    RegionServerEngine engine =
        new RegionServerEngine(
            RegionMember::new,
            (context, members, unguarded) -> {
              if (!guarded.get()) {
                throw new IOException("no guard");
              }
              started.add(unguarded);
              return start(context);
            });
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      engine.start(context("127.0.0.1", zookeeper.quorum(), Map.of()));
      Runnable unguarded = started.poll(20, TimeUnit.SECONDS);
      await(engine::isReady);
      long first = store.servers().get(NODE).startCode();
      guarded.set(false);
      unguarded.run();
      unguarded.run();
      await(() -> !engine.isReady());
      assertThat(store.servers()).isEmpty();
      guarded.set(true);
      assertThat(started.poll(20, TimeUnit.SECONDS)).isNotNull();
      await(engine::isReady);
      assertThat(store.servers()).containsOnlyKeys(NODE);
      assertThat(store.servers().get(NODE).startCode())
          .as("it starts no second member of an epoch")
          .isGreaterThan(first);
      engine.stop();
    }
  }
}
