package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.master.RegionState.State;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.master.hbase.VolumeTable;

/** A cluster in a process of its own, which is killed. */
@Tag("cluster")
@Tag("embedded")
class KilledProcessTest {
  private static final TableName TABLE = TableName.valueOf("plain");
  private static final byte[] ROW = "row".getBytes(StandardCharsets.UTF_8);

  @TempDir Path dir;

  @Test
  void aClusterKilledWhileInUseComesBackWithItsData() throws Exception {
    Process process = new ProcessBuilder(command()).redirectErrorStream(true).start();
    try {
      assertThat(process.inputReader().readLine()).isEqualTo("written");
    } finally {
      process.destroyForcibly().waitFor();
    }
    long begin = System.nanoTime();
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, 3, Map.of(), step -> {});
        Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Table table = connection.getTable(TABLE)) {
      assertThat(new VolumeTable(connection).list()).containsExactly("disk0");
      assertThat(table.get(new Get(ROW)).getValue(ROW, ROW)).isEqualTo(ROW);
      System.out.println(
          "back after the kill in " + (System.nanoTime() - begin) / 1_000_000 + " ms");
      Await.until("all replicas are open", Duration.ofSeconds(60), () -> replicas(cluster) == 9);
    }
  }

  private static long replicas(EmbeddedCluster cluster) {
    return cluster.master().getAssignmentManager().getRegionStates().getRegionStateNodes().stream()
        .filter(
            node -> node.getTable().equals(VolumeTable.name("disk0")) && node.isInState(State.OPEN))
        .count();
  }

  private List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m"));
    for (String open : List.of("java.lang", "java.nio", "sun.nio.ch", "jdk.internal.misc")) {
      command.addAll(List.of("--add-opens", "java.base/" + open + "=ALL-UNNAMED"));
    }
    command.addAll(
        List.of(
            "--add-exports",
            "java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Dlog4j.configuration=none",
            "-cp",
            System.getProperty("java.class.path"),
            Victim.class.getName(),
            dir.toString()));
    return command;
  }

  /** The process to kill: a volume's table, and a row in an ordinary one. */
  static final class Victim {
    private Victim() {}

    public static void main(String[] args) throws Exception {
      PrintStream out = System.out;
      System.setOut(new PrintStream(OutputStream.nullOutputStream()));
      System.setErr(System.out);
      try {
        write(EmbeddedCluster.start(Path.of(args[0]), 3, Map.of(), step -> {}));
        out.println("written");
        TimeUnit.MINUTES.sleep(5);
      } catch (IOException | RuntimeException failed) {
        failed.printStackTrace(out);
      }
      System.exit(1);
    }

    private static void write(EmbeddedCluster cluster) throws IOException {
      try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
          Admin admin = connection.getAdmin()) {
        new VolumeTable(cluster.master().getConnection()).create("disk0", 3);
        admin.createTable(
            TableDescriptorBuilder.newBuilder(TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(ROW))
                .build());
        try (Table table = connection.getTable(TABLE)) {
          table.put(new Put(ROW).addColumn(ROW, ROW, ROW));
        }
      }
    }
  }
}
