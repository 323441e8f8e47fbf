package org.salus.benchmarks.peers.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.Pauses;

/**
 * An ordinary table: a row for each block, in order; each region a range of rows; WAL on; Puts and
 * Gets in batches. A connection of its own, with a client's default settings.
 */
public final class HBaseBlocks implements BlockStoreUnderTest {
  private static final byte[] FAMILY = {'b'};
  private static final byte[] QUALIFIER = {};
  private static final long SETTLE_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * A major compaction leaves out what another compaction has in hand: ask again after so many
   * polls.
   */
  private static final int ASK_AGAIN = 25;

  private final String name;
  private final TableName tableName;
  private final Shape shape;
  private final Semaphore slots;
  private final AsyncConnection connection;
  private final AsyncTable<?> table;
  private final Batches<Put, Void> puts;
  private final Batches<Get, Result> gets;

  /** Whether HBase balanced until this was opened. */
  private boolean balanced;

  /**
   * How a table is made and used.
   *
   * @param regions into which it is split from the beginning
   * @param batch Puts or Gets of a batch
   * @param outstanding most batches
   * @param synced whether each write is on disk on three DataNodes before it completes
   */
  public record Shape(int regions, int batch, int outstanding, boolean synced) {}

  /**
   * @param name for tables of results
   * @param table which no other table is called
   * @param zookeeper {@code host:port}, or several
   */
  public HBaseBlocks(String name, String table, String zookeeper, Shape shape) throws IOException {
    this.name = name;
    this.tableName = TableName.valueOf(table);
    this.shape = shape;
    this.slots = new Semaphore(shape.outstanding);
    Configuration conf = HBaseConfiguration.create();
    conf.set("hbase.zookeeper.quorum", zookeeper);
    this.connection = await(ConnectionFactory.createAsyncConnection(conf));
    this.table = connection.getTable(tableName);
    this.puts = new Batches<>(shape.batch, slots, this::put);
    this.gets = new Batches<>(shape.batch, slots, this::get);
  }

  private List<CompletableFuture<Void>> put(List<Put> batch) {
    return batch.size() == 1 ? List.of(table.put(batch.get(0))) : table.put(batch);
  }

  private List<CompletableFuture<Result>> get(List<Get> batch) {
    return batch.size() == 1 ? List.of(table.get(batch.get(0))) : table.get(batch);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void open(long blocks) throws IOException {
    balanced =
        await(
            connection
                .getAdmin()
                .balancerSwitch(false, true)); // a region that moves is not there for a while
    byte[][] splits =
        IntStream.range(1, shape.regions)
            .mapToObj(i -> row(blocks * i / shape.regions))
            .toArray(byte[][]::new);
    await(
        connection
            .getAdmin()
            .createTable(
                TableDescriptorBuilder.newBuilder(tableName)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .setRegionSplitPolicyClassName(
                        DisabledRegionSplitPolicy.class
                            .getName()) // by default a first region splits at 256 MiB
                    .build(),
                splits));
  }

  private static byte[] row(long block) {
    return ByteBuffer.allocate(Long.BYTES).putLong(block).array();
  }

  @Override
  public CompletableFuture<Void> write(long block, byte[] content) {
    return puts.add(
        new Put(row(block))
            .addColumn(FAMILY, QUALIFIER, content)
            .setDurability(shape.synced ? Durability.FSYNC_WAL : Durability.SYNC_WAL));
  }

  @Override
  public CompletableFuture<byte[]> read(long block) {
    return gets.add(new Get(row(block)).addColumn(FAMILY, QUALIFIER))
        .thenApply(r -> r.getValue(FAMILY, QUALIFIER));
  }

  @Override
  public void send() {
    puts.send();
    gets.send();
  }

  /** HBase gives writes that are outstanding no order: the caller waits for them. */
  @Override
  public CompletableFuture<Void> barrier() {
    send();
    slots.acquireUninterruptibly(shape.outstanding);
    slots.release(shape.outstanding);
    return CompletableFuture.completedFuture(null);
  }

  /** Flushes, and compacts each region to one file. */
  @Override
  public long settle() throws IOException {
    barrier();
    AsyncAdmin admin = connection.getAdmin();
    long end = System.nanoTime() + SETTLE_NANOS;
    flush(admin);
    for (int polls = 0; !isCompact(admin); polls++) {
      if (System.nanoTime() > end) {
        throw new IOException("table " + tableName + " is still flushed and compacted");
      }
      if (polls % ASK_AGAIN == 0) {
        flush(admin);
        await(admin.majorCompact(tableName));
      }
      Pauses.pause(POLL_NANOS);
    }
    return System.nanoTime();
  }

  /**
   * Region by region: the flush of a whole table never ends where a region is being flushed
   * already.
   */
  private void flush(AsyncAdmin admin) throws IOException {
    for (RegionInfo region : await(admin.getRegions(tableName))) {
      await(admin.flushRegion(region.getRegionName()));
    }
  }

  private boolean isCompact(AsyncAdmin admin) throws IOException {
    int regions = 0;
    for (ServerName server : servers()) {
      for (RegionMetrics region : await(admin.getRegionMetrics(server, tableName))) {
        regions++;
        if (region.getStoreFileCount() > 1 || region.getMemStoreSize().getLongValue() > 0) {
          return false;
        }
      }
    }
    return regions == shape.regions;
  }

  private Set<ServerName> servers() throws IOException {
    return await(connection.getRegionLocator(tableName).getAllRegionLocations()).stream()
        .map(at -> at.getServerName())
        .collect(Collectors.toSet());
  }

  private static <T> T await(CompletableFuture<T> future) throws IOException {
    try {
      return future.get();
    } catch (ExecutionException | CompletionException failed) {
      throw new IOException("HBase: " + failed.getCause().getMessage(), failed.getCause());
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  @Override
  public void remove() throws IOException {
    AsyncAdmin admin = connection.getAdmin();
    if (await(admin.tableExists(tableName))) {
      await(admin.disableTable(tableName));
      await(admin.deleteTable(tableName));
    }
    if (balanced) {
      await(admin.balancerSwitch(true, false));
    }
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
