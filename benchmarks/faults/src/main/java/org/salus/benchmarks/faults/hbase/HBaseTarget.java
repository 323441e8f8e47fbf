package org.salus.benchmarks.faults.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.salus.benchmarks.faults.hdfs.Replicas;
import org.salus.benchmarks.faults.history.BlockStore;
import org.salus.benchmarks.faults.history.WriteSequence;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.Target;
import org.salus.benchmarks.faulty.hbase.FaultyTable;
import org.salus.dist.hbase.Daemon;

/**
 * Tables of blocks in the ordinary way: a row for each block, two regions, WAL on, the ordinary
 * client.
 */
public final class HBaseTarget implements Target {
  /** First of {@link #arguments}. */
  public static final String NAME = "hbase";

  private static final byte[] FAMILY = {'b'};
  private static final byte[] QUALIFIER = {};
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration RPC = Duration.ofSeconds(10);

  private final FaultCluster cluster;
  private final Connection connection;
  private final Admin admin;

  public HBaseTarget(FaultCluster cluster) throws IOException {
    this.cluster = cluster;
    this.connection = ConnectionFactory.createConnection(configuration(cluster.conf()));
    this.admin = connection.getAdmin();
  }

  private static Configuration configuration(Path conf) {
    Configuration c = HBaseConfiguration.create();
    c.addResource(new org.apache.hadoop.fs.Path(conf.toUri()));
    c.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 100);
    c.setLong(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, PATIENCE.toMillis());
    c.setLong("hbase.client.sync.wait.timeout.msec", PATIENCE.toMillis());
    c.setLong(HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, PATIENCE.toMillis());
    return c;
  }

  @Override
  public String label() {
    return "HBase";
  }

  @Override
  public Duration recovery() {
    return PATIENCE;
  }

  @Override
  public void create(String name, int count) throws IOException {
    admin.createTable(
        TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
            .setCoprocessor(FaultyTable.class.getName())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .build(),
        new byte[][] {row(count / 2)});
  }

  private static byte[] row(int block) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(block).array();
  }

  @Override
  public BlockStore open(String name, Duration patience) throws IOException {
    return open(cluster.conf(), name, patience);
  }

  /** As {@link #open(String, Duration)}, for a process that has no more than this. */
  public static BlockStore open(Path conf, String name, Duration patience) throws IOException {
    try {
      AsyncConnection own = ConnectionFactory.createAsyncConnection(configuration(conf)).get();
      return new OpenTable(
          own,
          own.getTableBuilder(TableName.valueOf(name))
              .setOperationTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
              .setRpcTimeout(Math.min(RPC.toMillis(), patience.toMillis()), TimeUnit.MILLISECONDS)
              .build(),
          new ConcurrentHashMap<>());
    } catch (ExecutionException failed) {
      throw new IOException("cannot connect to HBase", failed.getCause());
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /**
   * @param last the last write of each block: HBase gives two of one row that are under way no
   *     order
   */
  private record OpenTable(
      AsyncConnection connection, AsyncTable<?> table, Map<Integer, CompletableFuture<Void>> last)
      implements BlockStore {
    @Override
    public CompletableFuture<Void> write(int block, byte[] data) {
      Put put = new Put(row(block)).addColumn(FAMILY, QUALIFIER, data);
      return last.compute(
          block,
          (b, before) ->
              before == null || before.isDone()
                  ? table.put(put)
                  : before.handle((done, failed) -> null).thenCompose(ended -> table.put(put)));
    }

    @Override
    public CompletableFuture<byte[]> read(int block) {
      return table
          .get(new Get(row(block)))
          .thenApply(
              r -> r.isEmpty() ? new byte[WriteSequence.BLOCK] : r.getValue(FAMILY, QUALIFIER));
    }

    @Override
    public void close() {
      try {
        connection.close();
      } catch (IOException failed) {
        throw new IllegalStateException("cannot close a connection", failed);
      }
    }
  }

  @Override
  public void settle(String name) throws IOException {
    admin.flush(TableName.valueOf(name));
  }

  /** The servers of its regions crash and come back; others read their logs meanwhile. */
  @Override
  public void renew(String name) throws IOException {
    for (String node : nodes(name)) {
      cluster.kill(Daemon.REGIONSERVER, FaultCluster.number(node));
    }
    cluster.restart();
  }

  /** A table is opened anew by a crash of its servers, which serve other tables too. */
  /** The record is the region's row in hbase:meta. */
  @Override
  public void falsify(String name, WrongRecord how) throws IOException {
    HRegionLocation was = first(name);
    ServerName other =
        admin.getRegionServers().stream()
            .filter(s -> !s.equals(was.getServerName()))
            .findFirst()
            .orElseThrow(() -> new IOException("there is no other server"));
    if (how == WrongRecord.OLD) {
      admin.move(was.getRegion().getEncodedNameAsBytes(), other);
    }
    ServerName wrong = how == WrongRecord.OLD ? was.getServerName() : other;
    try (Table meta = connection.getTable(TableName.META_TABLE_NAME)) {
      Put put = new Put(was.getRegion().getRegionName());
      put.addColumn(
          HConstants.CATALOG_FAMILY,
          HConstants.SERVER_QUALIFIER,
          Bytes.toBytes(wrong.getAddress().toString()));
      put.addColumn(
          HConstants.CATALOG_FAMILY,
          HConstants.STARTCODE_QUALIFIER,
          Bytes.toBytes(wrong.getStartCode()));
      meta.put(put);
    }
  }

  private HRegionLocation first(String name) throws IOException {
    try (RegionLocator regions = connection.getRegionLocator(TableName.valueOf(name))) {
      return regions.getRegionLocation(HConstants.EMPTY_START_ROW, true);
    }
  }

  @Override
  public boolean renewsAlone() {
    return false;
  }

  @Override
  public List<String> nodes(String name) throws IOException {
    Set<String> nodes = new LinkedHashSet<>();
    try (RegionLocator locator = connection.getRegionLocator(TableName.valueOf(name))) {
      locator.clearRegionLocationCache();
      for (HRegionLocation at : locator.getAllRegionLocations()) {
        nodes.add(at.getServerName().getAddress().toString());
      }
    }
    return new ArrayList<>(nodes);
  }

  @Override
  public List<Replicas> files(String name, Kind kind) throws IOException {
    if (kind == Kind.CHECKPOINT) {
      return cluster.replicas().below("/hbase/data/default/" + name, path -> path.contains("/b/"));
    }
    List<Replicas> logs = new ArrayList<>();
    List<String> nodes = nodes(name).stream().map(n -> n.replace(':', ',')).toList();
    logs.addAll(
        cluster
            .replicas()
            .below(
                "/hbase/WALs",
                path -> !path.endsWith(".meta") && nodes.stream().anyMatch(path::contains)));
    return logs;
  }

  @Override
  public void delete(String name) throws IOException {
    TableName table = TableName.valueOf(name);
    if (admin.tableExists(table)) {
      if (admin.isTableEnabled(table)) {
        admin.disableTable(table);
      }
      admin.deleteTable(table);
    }
  }

  @Override
  public List<String> arguments() {
    return List.of(NAME, cluster.conf().toString());
  }

  @Override
  public void close() {
    try {
      admin.close();
      connection.close();
    } catch (IOException failed) {
      throw new IllegalStateException("cannot close a connection", failed);
    }
  }
}
