package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.core.Reason;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * HDFS is in safe mode while volumes are written, on a cluster of processes: an operator has asked
 * for it, and after the NameNode's restart. It stays so for longer than anybody waits: HBase would
 * have flushed and rolled logs, and a client with little patience gives up.
 */
@Tag("cluster")
@Tag("long")
class SafeModeTest {
  private static final int SIZE = 16 << 20;
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final Duration HELD =
      Duration.ofSeconds(Integer.getInteger("salus.safemode.seconds", 5));

  /** How long the client with little patience waits. */
  private static final Duration LITTLE = Duration.ofSeconds(10);

  private static final String PERIOD = "5000"; // ms

  /** Periods of HBase after which it changes files: minutes to an hour without these. */
  private static final Map<String, String> IMPATIENT =
      Map.of(
          "hbase.master.store.region.walroll.period.ms",
          PERIOD,
          "hbase.master.store.region.flush.interval.ms",
          PERIOD,
          "hbase.regionserver.logroll.period",
          PERIOD,
          "hbase.regionserver.optionalcacheflushinterval",
          PERIOD,
          "hbase.regionserver.periodicmemstoreflusher.rangeofdelayseconds",
          "1",
          "hbase.server.thread.wakefrequency",
          "1000");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  private LocalCluster cluster;

  @AfterEach
  void stop() throws IOException {
    cluster.stop(step -> {});
  }

  @Test
  @Timeout(3600)
  void everybodyWaitsForTheEndOfSafeModeAndNobodyIsBlamed() throws Exception {
    cluster = new LocalCluster(dir);
    cluster.start(3, IMPATIENT, step -> {});
    try (LogLines lines = new LogLines();
        SalusClient client = connect(HELD.plus(PATIENCE));
        SalusClient impatient = connect(LITTLE)) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      client.create("other", SIZE, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk");
          Volume other = impatient.open("other");
          RandomWrites writer = new RandomWrites(v, HELD.plus(PATIENCE))) {
        writer.awaitMore(500);
        Map<String, Long> daemons = pids();
        try (DFSClient hdfs = HdfsOf.cluster(cluster)) {
          hdfs.setSafeMode(SafeModeAction.SAFEMODE_ENTER);
        }
        assertAllWait(client, lines);
        assertThatThrownBy(() -> fill(other)).hasMessageContaining(Reason.SAFE_MODE.words());
        assertThat(pids()).as("the daemons go on").isEqualTo(daemons);
        leave(client, writer);
        Regions.awaitWhole(client, PATIENCE);
        fill(other);
        assertThat(pids()).isEqualTo(daemons);

        restartNameNodeIntoSafeMode();
        daemons = pids();
        assertAllWait(client, lines);
        assertThat(pids()).as("the daemons go on").isEqualTo(daemons);
        leave(client, writer);
        Regions.awaitWhole(client, PATIENCE);
        assertThat(pids()).isEqualTo(daemons);
        assertNoLogIsMissed();

        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  private SalusClient connect(Duration patience) throws Exception {
    return SalusClient.connect(
        Map.of(
            "salus.zookeeper.quorum",
            cluster.zookeeper(),
            "salus.segment.size",
            "1m",
            "salus.client.request.timeout",
            patience.toSeconds() + "s"));
  }

  /** Writes more than a few segments. */
  private static void fill(Volume volume) {
    for (int i = 0; i < SIZE; i += 1 << 20) {
      volume.write(i, ByteBuffer.allocate(1 << 20)).join();
    }
  }

  private void assertAllWait(SalusClient client, LogLines lines) throws Exception {
    lines.lines().clear();
    Await.until("info says so", PATIENCE, () -> isNamed(client.info("disk").why()));
    assertThat(client.infos()).allMatch(i -> isNamed(i.why()));
    Await.until(
        "writes wait, and the client's line says why",
        PATIENCE,
        () -> lines.lines().stream().anyMatch(l -> l.contains("requests wait") && isNamed(l)));
    assertThat(lines.lines()).as("each is one line").noneMatch(l -> l.contains("\tat "));
    Thread.sleep(HELD.toMillis()); // the state that is tested lasts so long
  }

  private void leave(SalusClient client, RandomWrites writer) throws Exception {
    try (DFSClient hdfs = HdfsOf.cluster(cluster)) {
      hdfs.setSafeMode(SafeModeAction.SAFEMODE_LEAVE);
    }
    writer.awaitMore(500);
    Await.until("nothing is left to say", PATIENCE, () -> client.info("disk").why().isEmpty());
  }

  /** With a threshold that it never reaches, HDFS stays in safe mode until somebody ends it. */
  private void restartNameNodeIntoSafeMode() throws Exception {
    Path file = cluster.dir().resolve("conf/namenode.xml");
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(file.toUri()));
    conf.set("dfs.namenode.safemode.threshold-pct", "1.5");
    try (OutputStream to = Files.newOutputStream(file)) {
      conf.writeXml(to);
    }
    DaemonProcess nameNode = cluster.daemon(Daemon.NAMENODE, -1);
    nameNode.kill();
    nameNode.start();
    nameNode.awaitReady();
  }

  /** HBase ends a server, and its master tries for ever, after a log that was never made. */
  private void assertNoLogIsMissed() throws IOException {
    try (DirectoryStream<Path> logs =
        Files.newDirectoryStream(cluster.dir().resolve("logs"), "*.log")) {
      for (Path log : logs) {
        assertThat(log).content().doesNotContain("Failed log archiving");
      }
    }
  }

  private static boolean isNamed(String words) {
    return words.contains(Reason.SAFE_MODE.words());
  }

  private Map<String, Long> pids() throws IOException {
    Map<String, Long> pids = new HashMap<>();
    for (DaemonProcess d : cluster.daemons()) {
      d.process().ifPresent(p -> pids.put(d.name(), p.pid()));
    }
    return pids;
  }
}
