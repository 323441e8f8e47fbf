package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Quota;
import org.salus.core.Reason;
import org.salus.host.FaultHandler;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Watch;

/** What a master tells clients of the whole cluster, through a real ZooKeeper. */
class KeptVolumesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Quota NARROW = new Quota("/hbase", true, 20, 19, -1, 0);

  @TempDir private Path directory;
  private NIOServerCnxnFactory zookeeper;
  private ClusterStore store;
  private KeptVolumes volumes;
  private List<Quota> quotas = List.of();
  private boolean safeMode;
  private volatile boolean isSilent;
  private volatile boolean refuses;
  private final AtomicInteger asked = new AtomicInteger();
  private boolean guarded = true;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new NIOServerCnxnFactory();
    zookeeper.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    zookeeper.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500));
    store = ClusterStore.connect(quorum(), PATIENCE, PATIENCE);
  }

  private String quorum() {
    return "127.0.0.1:" + zookeeper.getLocalPort();
  }

  private void master() throws IOException {
    volumes = KeptVolumes.start(new Master(), Runnable::run, () -> {}, System.nanoTime());
  }

  @AfterEach
  void stop() {
    volumes.close();
    store.close();
    zookeeper.shutdown();
  }

  @Test
  @Timeout(60)
  void aMasterThatFitsNoServerTellsClientsWhy() throws Exception {
    byte[] other = "another".getBytes(StandardCharsets.UTF_8);
    ServerRecord stranger = ServerRecord.of("a:1", "127.0.0.1", 7, "127.0.0.1:9866", 5, other);
    master();
    try (Watch registration = store.registerServer("a:1", stranger, other)) {
      assertThatThrownBy(volumes::round).hasMessageContaining("[a:1]: a:1 has another");
      assertThat(store.reports().trouble())
          .contains(Reason.noServerFits("this master", Map.of("a:1", Reason.OTHER_SECRET)));
      assertThat(PrometheusText.of(metrics))
          .contains("salus_servers{state=\"strange\"} 1\n")
          .contains("salus_servers{state=\"silent\"} 0\n")
          .contains("salus_trouble{kind=\"secret\"} 1\n")
          .contains("salus_master_rounds_total 0\n");
    }
    roundsUntil(Optional::isEmpty);
  }

  private Watch register(String node, ServerSocket at, byte[] secret) throws Exception {
    ServerRecord record =
        ServerRecord.of(node, "127.0.0.1", at.getLocalPort(), "127.0.0.1:9866", 5, secret);
    return store.registerServer(node, record, secret);
  }

  @Test
  @Timeout(60)
  void onlyServersWithTheSecretAreProbed() throws Exception {
    try (ServerSocket ours = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Watch one = register("a:1", ours, new byte[0]);
        Watch two = register("b:1", other, new byte[] {7})) {
      master();
      volumes.round();
      ours.accept().close();
      other.setSoTimeout(1000);
      assertThatThrownBy(other::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  private void roundsUntil(Predicate<Optional<Reason>> told) throws Exception {
    while (!told.test(store.reports().trouble())) {
      volumes.round();
    }
  }

  @Test
  @Timeout(60)
  void aQuotaAndSafeModeAreToldOneAfterTheOther() throws Exception {
    quotas = List.of(NARROW);
    master();
    roundsUntil(Optional::isPresent);
    assertThat(store.reports().trouble()).isEqualTo(NARROW.reason());
    safeMode = true;
    while (store.reports().trouble().equals(NARROW.reason())) {
      volumes.round();
    }
    assertThat(store.reports().trouble()).contains(Reason.SAFE_MODE);
  }

  @Test
  @Timeout(60)
  void aNameNodeThatDoesNotAnswerIsTold() throws Exception {
    isSilent = true;
    master();
    roundsUntil(Optional::isPresent);
    assertThat(store.reports().trouble()).contains(Reason.NO_NAMENODE);
    isSilent = false;
    roundsUntil(Optional::isEmpty);
  }

  /** As where the master's user is no superuser of HDFS. */
  @Test
  @Timeout(60)
  void aNameNodeThatRefusesToTellIsNotSilent() throws Exception {
    refuses = true;
    quotas = List.of(NARROW);
    master();
    while (asked.get() < 3) {
      volumes.round();
    }
    assertThat(store.reports().trouble()).isEmpty();
    refuses = false;
    roundsUntil(Optional::isPresent);
    assertThat(store.reports().trouble()).isEqualTo(NARROW.reason());
  }

  @Test
  @Timeout(60)
  void aNameNodeWithoutAGuardIsTold() throws Exception {
    guarded = false;
    master();
    roundsUntil(Optional::isPresent);
    assertThat(store.reports().trouble()).contains(Reason.unguarded());
    guarded = true;
    roundsUntil(Optional::isEmpty);
  }

  /** The word of a watch may come later than the round. */
  @Test
  @Timeout(60)
  void aRoundKnowsWhoIsDrainedBeforeItDoesAnything() throws Exception {
    store.drained().add("a", Map.of());
    master();
    assertThatThrownBy(() -> volumes.isDrained("a:1")).hasMessageContaining("before the first");
    volumes.round();
    assertThat(volumes.isDrained("a:1")).isTrue();
    assertThat(volumes.isDrained("b:1")).isFalse();
    store.drained().add("b:1", Map.of());
    store.drained().remove("a");
    volumes.round();
    assertThat(volumes.isDrained("a:1")).isFalse();
    assertThat(volumes.isDrained("b:1")).isTrue();
  }

  /** Has no tables, and HDFS as the test says. */
  private final Metrics metrics = new Metrics();

  private final class Master implements MasterContext, VolumeCatalogue {
    @Override
    public Metrics metrics() {
      return metrics;
    }

    @Override
    public String node() {
      return "";
    }

    @Override
    public String zookeeper() {
      return quorum();
    }

    @Override
    public Map<String, String> configuration() {
      return Map.of();
    }

    @Override
    public FaultHandler faults() {
      return (what, bug) -> {};
    }

    @Override
    public List<String> servers() {
      return List.of();
    }

    @Override
    public Map<Integer, List<String>> placement(String volume) {
      return Map.of();
    }

    @Override
    public void watchServers(Consumer<List<String>> watcher) {}

    @Override
    public Optional<Map<String, Integer>> replicas() {
      return Optional.empty();
    }

    @Override
    public HdfsReport hdfs() throws IOException {
      asked.incrementAndGet();
      if (isSilent) {
        throw new IOException("connection refused");
      }
      if (refuses) {
        throw new HdfsReport.RefusedException(new IOException("you are no superuser"));
      }
      return new HdfsReport(safeMode, guarded, Map.of(), quotas);
    }

    @Override
    public VolumeCatalogue tables() {
      return this;
    }

    @Override
    public void create(String volume, int regions) {}

    @Override
    public void delete(String volume) {}

    @Override
    public List<String> list() {
      return List.of();
    }
  }
}
