package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.data.DataDirectoryException;
import org.salus.master.MasterHost;
import org.salus.master.hbase.VolumeTable;
import org.salus.regionserver.RegionServerHost;

@Tag("cluster")
@Tag("embedded")
class EmbeddedClusterTest {
  private static final int SERVERS = 4;
  private static final int REGIONS = 4;
  private static final Map<String, String> HOSTS =
      Map.of(
          RegionServerHost.CLASS_KEY,
          RecordingHost.class.getName(),
          MasterHost.CLASS_KEY,
          RecordingMaster.class.getName(),
          "hbase.regionserver.abort.timeout",
          "1");
  private static final TableName PLAIN = TableName.valueOf("plain");
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);
  private static final byte[] FAMILY = "f".getBytes(StandardCharsets.UTF_8);
  private static final byte[] VALUE = "value".getBytes(StandardCharsets.UTF_8);

  @TempDir Path dir;

  @BeforeEach
  void forgetEarlierTests() {
    RecordingHost.RUNNING.clear();
    RecordingHost.STOPPED.clear();
  }

  @Test
  void volumesAndOrdinaryTablesLiveSideBySideAndSurviveARestart() throws Exception {
    List<String> nodes;
    Map<Integer, List<String>> placement;
    try (EmbeddedCluster cluster = start()) {
      nodes = cluster.servers();
      assertThat(nodes).hasSize(SERVERS).doesNotHaveDuplicates();
      try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
        VolumeTable volumes = new VolumeTable(connection);
        assertThat(volumes.list()).isEmpty();
        volumes.create("disk0", REGIONS);
        volumes.create("disk0", REGIONS);
        assertThat(volumes.list()).containsExactly("disk0");
        assertThatThrownBy(() -> volumes.create("disk0", REGIONS + 1))
            .hasMessageContaining("disk0");
        writeOrdinaryRow(connection);
      }
      placement = distinctPlacement();
      engineSawItsReplicas(cluster);
      assertThatThrownBy(this::start)
          .isInstanceOfSatisfying(
              DataDirectoryException.class,
              refused ->
                  assertThat(refused.reason()).isEqualTo(DataDirectoryException.Reason.LOCKED));
      stopsInTime(cluster);
    }
    Await.until(
        "what HBase has not ended in its time ends later",
        Duration.ofSeconds(60),
        () -> RecordingHost.RUNNING.isEmpty() && RecordingMaster.running == null);
    assertThat(RecordingHost.STOPPED.values())
        .allSatisfy(seen -> assertThat(seen.open()).isEmpty());

    try (EmbeddedCluster cluster = start();
        Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      assertThat(cluster.servers()).containsExactlyInAnyOrderElementsOf(nodes);
      assertThat(readOrdinaryRow(connection)).isEqualTo(VALUE);
      VolumeTable volumes = new VolumeTable(connection);
      assertThat(volumes.list()).containsExactly("disk0");
      Await.until(
          "replicas are back where they were",
          Duration.ofSeconds(30),
          () -> placement.equals(placement()));
      volumes.delete("disk0");
      volumes.delete("disk0");
      assertThat(volumes.list()).isEmpty();
    }
  }

  @Test
  void aDeadServersReplicasOpenOnServersWithoutSiblings() throws Exception {
    try (EmbeddedCluster cluster = start();
        Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      new VolumeTable(connection).create("disk0", REGIONS);
      String victim = distinctPlacement().get(0).get(1);
      cluster.abortServer(victim, "a test");
      Await.until(
          "all replicas open elsewhere",
          Duration.ofSeconds(60),
          () -> {
            Map<Integer, List<String>> now = placement();
            return now.size() == REGIONS
                && now.values().stream().allMatch(nodes -> nodes.size() == 3)
                && now.values().stream().noneMatch(nodes -> nodes.contains(victim));
          });
      assertThat(distinctPlacement().values()).noneMatch(nodes -> nodes.contains(victim));
      Await.until(
          "the engine of the dead server has stopped",
          Duration.ofSeconds(60),
          () -> RecordingHost.STOPPED.containsKey(victim));
      assertThat(RecordingMaster.running.servers()).hasSize(SERVERS - 1).doesNotContain(victim);
      assertThat(cluster.servers()).hasSize(SERVERS - 1);
    }
  }

  private EmbeddedCluster start() throws Exception {
    long begin = System.nanoTime();
    EmbeddedCluster cluster =
        EmbeddedCluster.start(
            dir,
            SERVERS,
            HOSTS,
            step -> {
              System.out.printf("%6d ms %s%n", (System.nanoTime() - begin) / 1_000_000, step);
            });
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    System.out.printf(
        "%6d ms up, %d MiB of heap live%n",
        (System.nanoTime() - begin) / 1_000_000,
        (runtime.totalMemory() - runtime.freeMemory()) >> 20);
    return cluster;
  }

  private static void stopsInTime(EmbeddedCluster cluster) {
    long begin = System.nanoTime();
    cluster.stop();
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    System.out.println("stopped in " + took.toMillis() + " ms");
    assertThat(took).isLessThan(Duration.ofSeconds(40));
  }

  private static Map<Integer, List<String>> placement() {
    return RecordingMaster.running == null ? Map.of() : RecordingMaster.running.placement("disk0");
  }

  /** Waits for it: HBase may be moving a replica, which is nowhere meanwhile. */
  private static Map<Integer, List<String>> distinctPlacement() throws Exception {
    AtomicReference<Map<Integer, List<String>>> found = new AtomicReference<>();
    Await.until(
        "each region has three replicas on different servers",
        Duration.ofSeconds(60),
        () -> {
          found.set(placement());
          return found.get().keySet().equals(Set.of(0, 1, 2, 3))
              && found.get().values().stream()
                  .allMatch(n -> n.size() == 3 && Set.copyOf(n).size() == 3);
        });
    return found.get();
  }

  private static void engineSawItsReplicas(EmbeddedCluster cluster) {
    assertThat(RecordingHost.RUNNING.keySet())
        .containsExactlyInAnyOrderElementsOf(cluster.servers());
    assertThat(cluster.died()).isNotDone();
    HashSet<String> all = new HashSet<>();
    RecordingHost.RUNNING.values().forEach(seen -> all.addAll(seen.open()));
    assertThat(all).hasSize(REGIONS * 3).contains("disk0/0/0", "disk0/3/2");
    assertThat(RecordingHost.RUNNING.values())
        .allSatisfy(
            seen -> {
              String dataNode = seen.context().configuration().get(EmbeddedCluster.DATA_NODE_KEY);
              assertThat(dataNode).startsWith(seen.context().host() + ":");
              assertThat(seen.context().zookeeper()).isEqualTo(cluster.zookeeper());
            });
  }

  private static void writeOrdinaryRow(Connection connection) throws Exception {
    try (Admin admin = connection.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(PLAIN)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
    }
    try (Table table = connection.getTable(PLAIN)) {
      table.put(new Put(ROW).addColumn(FAMILY, FAMILY, VALUE));
    }
  }

  private static byte[] readOrdinaryRow(Connection connection) throws Exception {
    try (Table table = connection.getTable(PLAIN)) {
      return table.get(new Get(ROW)).getValue(FAMILY, FAMILY);
    }
  }
}
