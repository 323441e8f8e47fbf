package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.host.zk.ClusterStore;

/** Tables in the namespace of volumes that are not as volumes need them. */
@Tag("cluster")
@Tag("embedded")
class StrangeTablesTest {
  private static final int SIZE = 16 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final TableName STRANGE = TableName.valueOf("salus", "strange");
  private static final TableName DISK = TableName.valueOf("salus", "disk");

  @TempDir Path dir;

  @Test
  @Timeout(1800)
  void tablesInTheWayAndLostTablesAreNamed() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, 3, Map.of(), step -> {});
        Admin admin = cluster.master().getConnection().getAdmin(); // the master itself may do all
        SalusClient client =
            SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      makeTable(admin, STRANGE);
      try (ClusterStore store =
          ClusterStore.connect(cluster.zookeeper(), PATIENCE, Duration.ofSeconds(10))) {
        Await.until(
            "the master has seen the table",
            PATIENCE,
            () -> store.reports().tables().containsKey("strange"));
      }
      assertThatThrownBy(() -> client.create("strange", SIZE, SalusClient.CreateOptions.DEFAULT))
          .isInstanceOf(SalusException.AlreadyExists.class)
          .hasMessageContaining("HBase has a table salus:strange that is no volume's")
          .hasMessageContaining("drop it");
      assertThat(client.list()).as("nothing is made").containsExactly("disk");
      dropTable(admin, STRANGE);
      Await.until("the table is out of the way", PATIENCE, () -> isCreated(client));

      dropTable(admin, DISK);
      Await.until("the lost table is made again", PATIENCE, () -> admin.tableExists(DISK));
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(DISK))
              .setRegionReplication(2)
              .build());
      Await.until(
          "info and list say that the table is another",
          PATIENCE,
          () ->
              isAnother(client.info("disk").why())
                  && client.infos().stream().anyMatch(i -> isAnother(i.why())));
    }
  }

  private static boolean isAnother(String why) {
    return why.contains("replicas of regions, not");
  }

  private static boolean isCreated(SalusClient client) {
    try {
      client.create("strange", SIZE, SalusClient.CreateOptions.DEFAULT);
      return true;
    } catch (SalusException.AlreadyExists refused) {
      return false;
    }
  }

  private static void makeTable(Admin admin, TableName name) throws Exception {
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
            .build());
  }

  private static void dropTable(Admin admin, TableName name) throws Exception {
    admin.disableTable(name);
    admin.deleteTable(name);
  }
}
