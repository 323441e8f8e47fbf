package org.salus.benchmarks.peers.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.dist.hbase.EmbeddedCluster;

@Tag("cluster")
class HBaseBlocksTest {
  private static final int REGIONS = 3;
  private static final int BLOCKS = REGIONS * 1024;
  private static final String TABLE = "blocks";

  @TempDir Path dir;

  /**
   * By default a region that is its table's only one on a server splits at twice what a MemStore
   * holds: here half of what it gets.
   */
  @Test
  void aTableKeepsItsRegionsHoweverMuchIsWritten() throws Exception {
    try (EmbeddedCluster cluster =
            EmbeddedCluster.start(
                dir, REGIONS, Map.of("hbase.hregion.memstore.flush.size", "1048576"), step -> {});
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin();
        HBaseBlocks store =
            new HBaseBlocks(
                "HBase",
                TABLE,
                cluster.zookeeper(),
                new HBaseBlocks.Shape(REGIONS, 250, 8, false))) {
      store.open(BLOCKS);
      List<CompletableFuture<Void>> written =
          IntStream.range(0, BLOCKS).mapToObj(i -> store.write(i, content(i))).toList();
      store.send();
      written.forEach(CompletableFuture::join);
      store.settle();
      assertThat(admin.getRegions(TableName.valueOf(TABLE))).hasSize(REGIONS);

      List<CompletableFuture<byte[]>> read =
          IntStream.range(0, BLOCKS).mapToObj(store::read).toList();
      store.send();
      IntStream.range(0, BLOCKS).forEach(i -> assertThat(read.get(i).join()).isEqualTo(content(i)));
      store.remove();
      assertThat(admin.tableExists(TableName.valueOf(TABLE))).isFalse();
    }
  }

  private static byte[] content(int block) {
    return ByteBuffer.allocate(BlockStoreUnderTest.BLOCK).putInt(block).array();
  }
}
