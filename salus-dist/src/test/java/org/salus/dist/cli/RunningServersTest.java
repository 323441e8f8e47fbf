package org.salus.dist.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.Await;
import org.salus.dist.zk.EmbeddedZooKeeper;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerRecord;

/** Jars of another Salus come only while no server runs. */
class RunningServersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path temp;
  private final List<String> said = new ArrayList<>();

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  private static Map<String, String> settings(String quorum) {
    return Map.of("salus.zookeeper.quorum", quorum);
  }

  @Test
  void thoseThatRunAreNamedAndOnlyThey() throws Exception {
    InetSocketAddress any = new InetSocketAddress("127.0.0.1", freePort());
    String quorum = "127.0.0.1:" + any.getPort();
    try (EmbeddedZooKeeper zookeeper = EmbeddedZooKeeper.start(temp.resolve("zk"), any, true);
        ClusterStore store = ClusterStore.connect(quorum, PATIENCE, PATIENCE)) {
      assertThat(zookeeper.isRunning()).isTrue();
      RunningServers.requireNone(settings(quorum), said::add);
      ServerRecord record =
          ServerRecord.of("a:1", "127.0.0.1", 7, "127.0.0.1:9866", 5, new byte[0]);
      try (AutoCloseable registered = store.registerServer("a:1", record, new byte[0])) {
        assertThat(registered).isNotNull();
        Await.until("it is registered", PATIENCE, () -> !store.servers().isEmpty());
        assertThatThrownBy(() -> RunningServers.requireNone(settings(quorum), said::add))
            .hasMessageContaining("these servers run: a:1; stop all clients and all daemons");
      }
    }
    assertThat(said).isEmpty();
  }

  @Test
  void aClusterThatIsStoppedIsNoHindrance() throws Exception {
    RunningServers.requireNone(settings("no.such.host.invalid:2181"), said::add);
    assertThat(said)
        .singleElement()
        .asString()
        .startsWith("whether servers of Salus run is not known: ");
  }
}
