package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.member.RegionMember;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.ClusterStore;

class RunningEngineTest {
  private static final String NODE = "node0:16020";

  @TempDir Path dir;

  /** There is no NameNode, because the engine needs none before a volume exists. */
  private static ServerContext context(String host, String zookeeper) {
    return new ServerContext(
        NODE,
        host,
        7,
        zookeeper,
        Map.of("fs.defaultFS", "hdfs://127.0.0.1:1", "salus.server.loops", "1"),
        (what, bug) -> {
          throw new AssertionError(what, bug);
        },
        new Metrics());
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
      RunningEngine engine =
          RunningEngine.start(context(host, zookeeper.quorum()), RegionMember::new);
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
          .isThrownBy(
              () -> RunningEngine.start(context(notHere, zookeeper.quorum()), RegionMember::new));
      assertThat(store.servers()).isEmpty();
      assertThat(hasBean()).isFalse();
      await(() -> threadsOf(notHere) == 0);
    }
  }
}
