package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.dist.system.Reads.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.master.hbase.VolumeTable;

/** What HBase's clients may do with the tables of volumes, and beside them. */
@Tag("cluster")
@Tag("embedded")
class VolumeTablesTest {
  private static final int MIB = 1 << 20;
  private static final int BLOCK = 4096;

  @TempDir static Path dir;

  private static EmbeddedCluster cluster;
  private static SalusClient client;

  @BeforeAll
  static void start() throws Exception {
    cluster = EmbeddedCluster.start(dir, 4, Map.of(), step -> {});
    client = SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()));
  }

  @AfterAll
  static void stop() {
    client.close();
    cluster.stop();
  }

  private static Volume make(String name, int mib) {
    client.create(name, (long) mib * MIB, SalusClient.CreateOptions.DEFAULT);
    return client.open(name);
  }

  /** What HBase says itself, because of how the tables are made. */
  private static final Map<String, String> BY_HBASE =
      Map.of(
          "put", "(?s).*read.only.*",
          "merge", "(?s).*merge is disabled.*",
          "split", "(?s).*split is disabled.*");

  /** HBase's clients can neither harm the table of a volume nor put one in the way. */
  @Test
  void hbaseRefusesCallsOnTheTablesOfVolumes() throws Exception {
    make("table", 1).close();
    TableName table = VolumeTable.name("table");
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin();
        Table open = connection.getTable(table)) {
      Await.until("its table is made", Duration.ofSeconds(60), () -> admin.isTableAvailable(table));
      TableDescriptor now = admin.getDescriptor(table);
      TableDescriptor another = TableDescriptorBuilder.copy(VolumeTable.name("in-the-way"), now);
      TableName ordinary = TableName.valueOf("ordinary");
      admin.createTable(
          TableDescriptorBuilder.newBuilder(ordinary)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
              .build());
      admin.snapshot("of-an-ordinary-table", ordinary);
      List<RegionInfo> regions = admin.getRegions(table);
      regions.removeIf(r -> r.getReplicaId() != RegionInfo.DEFAULT_REPLICA_ID);
      byte[] first = regions.get(0).getRegionName();
      byte[] second = regions.get(1).getRegionName();
      Map<String, ThrowingCallable> calls =
          Map.ofEntries(
              Map.entry(
                  "put", () -> open.put(new Put(new byte[8]).addColumn(family(now), null, null))),
              Map.entry("disable", () -> admin.disableTable(table)),
              Map.entry("drop", () -> admin.deleteTable(table)),
              Map.entry("truncate", () -> admin.truncateTable(table, true)),
              Map.entry("alter", () -> admin.modifyTable(now)),
              Map.entry("track", () -> admin.modifyTableStoreFileTracker(table, "FILE")),
              Map.entry("create", () -> admin.createTable(another)),
              Map.entry(
                  "clone",
                  () -> admin.cloneSnapshot("of-an-ordinary-table", another.getTableName())),
              Map.entry("snapshot", () -> admin.snapshot("of-a-volume", table)),
              Map.entry("flush", () -> admin.flush(table)),
              Map.entry(
                  "merge",
                  () ->
                      admin
                          .mergeRegionsAsync(new byte[][] {first, second}, true)
                          .get(60, TimeUnit.SECONDS)),
              Map.entry(
                  "split",
                  () -> admin.splitRegionAsync(first, new byte[] {1}).get(60, TimeUnit.SECONDS)),
              Map.entry("unassign", () -> admin.unassign(first)),
              Map.entry("offline", () -> admin.offline(first)),
              Map.entry(
                  "drop namespace", () -> admin.deleteNamespace(table.getNamespaceAsString())));
      calls.forEach(
          (what, call) ->
              assertThatThrownBy(call)
                  .as(what)
                  .satisfies(
                      refused ->
                          assertThat(
                                  refused instanceof ExecutionException
                                      ? refused.getCause()
                                      : refused)
                              .isInstanceOf(IOException.class)
                              .hasMessageMatching(
                                  BY_HBASE.getOrDefault(what, "(?s).*of Salus.*|.*Salus'.*"))));
      admin.deleteSnapshot("of-an-ordinary-table");
      admin.disableTable(ordinary);
      admin.deleteTable(ordinary);
    }
    client.delete("table", false);
    Await.until(
        "its table is gone", Duration.ofSeconds(60), () -> !client.list().contains("table"));
  }

  /** Tools that empty a server move every region of it, and repairs assign regions anew. */
  @Test
  void hbaseMovesRegionsOfAVolumeThatIsWritten() throws Exception {
    TableName table = VolumeTable.name("moved");
    byte[] content = new byte[MIB];
    new Random(7).nextBytes(content);
    client.create("moved", MIB, new SalusClient.CreateOptions(BLOCK, false, 1));
    try (Volume v = client.open("moved");
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      v.write(0, ByteBuffer.wrap(content)).join();
      List<ServerName> servers = List.copyOf(admin.getRegionServers());
      for (RegionInfo region : admin.getRegions(table)) {
        for (ServerName server : servers) { // also to those that have a replica of the region
          admin.move(region.getEncodedNameAsBytes(), server);
          v.write(0, ByteBuffer.wrap(content)).join();
        }
        if (region.getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID) {
          admin.truncateRegion(region.getRegionName());
        }
      }
      v.flush().join();
      assertThat(Arrays.mismatch(read(v, 0, MIB), content)).isEqualTo(-1);
      Await.until(
          "the volume is healthy again",
          Duration.ofSeconds(120),
          () -> client.info("moved").health().equals("healthy"));
    }
  }

  private static byte[] family(TableDescriptor of) {
    return of.getColumnFamilyNames().iterator().next();
  }

  @Test
  void anOrdinaryTableWorksWhileAVolumeIsWritten() throws Exception {
    byte[] family = Bytes.toBytes("f");
    TableName name = TableName.valueOf("ordinary");
    try (Volume v = make("beside", 8);
        Connection hbase = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = hbase.getAdmin()) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
              .build());
      List<CompletableFuture<Void>> writes = new ArrayList<>();
      try (Table table = hbase.getTable(name)) {
        for (int i = 0; i < 200; i++) {
          byte[] data = new byte[40_000];
          Arrays.fill(data, (byte) i);
          writes.add(v.write(i * 40_000L, ByteBuffer.wrap(data)));
          table.put(
              new Put(Bytes.toBytes(i)).addColumn(family, family, Bytes.toBytes("value " + i)));
        }
        CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new)).join();
        for (int i = 0; i < 200; i++) {
          assertThat(read(v, i * 40_000L, 40_000)).containsOnly(i);
          assertThat(table.get(new Get(Bytes.toBytes(i))).getValue(family, family))
              .isEqualTo(Bytes.toBytes("value " + i));
        }
      }
    }
  }
}
