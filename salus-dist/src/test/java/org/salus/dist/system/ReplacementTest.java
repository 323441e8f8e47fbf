package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.Volume;
import org.salus.client.VolumeInfo;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.EmbeddedCluster;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.WriterClaim;

/**
 * Servers and their DataNodes end, and records in ZooKeeper become wrong, while a volume is
 * written. The application sees a pause, and every byte.
 */
@Tag("cluster")
@Tag("embedded")
class ReplacementTest {
  private static final int SIZE = 16 << 20;
  private static final int SERVERS = 5;
  private static final Duration ZOOKEEPER = Duration.ofSeconds(20);

  @TempDir Path dir;

  @Test
  void writesGoOnWhileServersAndTheirDataNodesGoAway() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS, Map.of(), step -> {});
        SalusClient client =
            SalusClient.connect(
                Map.of(
                    "salus.zookeeper.quorum", cluster.zookeeper(), "salus.segment.size", "1m"))) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      long unclosed = leaveBehind(client, cluster.zookeeper());
      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(500);
        try (ClusterStore store = ClusterStore.connect(cluster.zookeeper(), ZOOKEEPER, ZOOKEEPER)) {
          RrsRecord old = record(store);
          replace(client);
          writer.awaitMore(100);
          wrongRecords(store, old, writer);
        }
        for (int left = SERVERS - 1; left >= 2; left--) {
          String victim = client.info("disk").regions().get(0).members().get(0).node();
          long begin = System.nanoTime();
          stop(cluster, victim);
          writer.awaitMore(100);
          System.out.println(
              "100 writes "
                  + (System.nanoTime() - begin) / 1_000_000
                  + " ms after "
                  + victim
                  + " went away");
          int members = Math.min(3, left);
          Await.until(
              "all regions have " + members + " members without " + victim,
              Duration.ofSeconds(300),
              () -> members(client.info("disk"), victim) == members);
          writer.awaitMore(500);
          Await.until(
              "HDFS has restored the replicas",
              Duration.ofSeconds(300),
              () -> leastReplicas(cluster) >= members);
        }
        awaitSettled(cluster.zookeeper(), unclosed);
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  /** Makes a volume of which a writer ends without closing it. Returns the number of its mount. */
  private static long leaveBehind(SalusClient client, String zookeeper) throws IOException {
    client.create("left", SIZE, SalusClient.CreateOptions.DEFAULT);
    try (ClusterStore store = ClusterStore.connect(zookeeper, ZOOKEEPER, ZOOKEEPER)) {
      WriterClaim claim = new WriterClaim("a test", "", false);
      return store.acquireWriter(store.volume("left").spec(), claim, () -> {}).mountEpoch();
    }
  }

  /** The master mounts the volume that was left behind, finds it whole, and closes it. */
  private static void awaitSettled(String zookeeper, long left) throws Exception {
    try (ClusterStore store = ClusterStore.connect(zookeeper, ZOOKEEPER, ZOOKEEPER)) {
      VolumeSpec spec = store.volume("left").spec();
      Await.until(
          "the master has settled the volume",
          Duration.ofSeconds(90),
          () -> store.leftBehind(spec).isEmpty() && store.writer("left").isEmpty());
      ConfirmedRecord confirmed = store.reports().confirmed(spec).orElseThrow();
      assertThat(confirmed.mountEpoch()).isGreaterThan(left);
      assertThat(confirmed.wentBackBy()).isZero();
    }
  }

  /** The paper's Figure 7: the servers are lost for good, and a DataNode of theirs as well. */
  @Test
  void aRegionIsBuiltFromDataNodesAloneWhenAllItsServersAreLost() throws Exception {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(dir, SERVERS, Map.of(), step -> {});
        SalusClient client =
            SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
      client.create("disk", SIZE, SalusClient.CreateOptions.DEFAULT);
      try (Volume v = client.open("disk");
          RandomWrites writer = new RandomWrites(v)) {
        writer.awaitMore(500);
        List<String> lost =
            client.info("disk").regions().get(0).members().stream()
                .map(VolumeInfo.Member::node)
                .toList();
        long begin = System.nanoTime();
        lost.forEach(node -> cluster.abortServer(node, "a test"));
        cluster.hdfs().stopDataNode(index(lost.get(0)));
        writer.awaitMore(500);
        System.out.println(
            "500 writes "
                + (System.nanoTime() - begin) / 1_000_000
                + " ms after all servers of a region were lost");
        assertThat(client.info("disk").regions().get(0).members())
            .extracting(VolumeInfo.Member::node)
            .isNotEmpty()
            .doesNotContainAnyElementsOf(lost);
        byte[] expected = writer.stop();
        ByteBuffer all = ByteBuffer.allocate(SIZE);
        v.read(0, all).join();
        assertThat(all.array()).isEqualTo(expected);
      }
    }
  }

  /** Replaces the first region's primary, as an operator does. */
  private static void replace(SalusClient client) {
    List<String> before =
        client.info("disk").regions().get(0).members().stream()
            .map(VolumeInfo.Member::node)
            .toList();
    assertThatThrownBy(() -> client.replace("disk", 0, "nobody:1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(before.toString());
    assertThatThrownBy(() -> client.replace("disk", 99, before.get(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("regions 0 to");
    client.replace("disk", 0, before.get(0));
    VolumeInfo.Region after = client.info("disk").regions().get(0);
    assertThat(after.members())
        .extracting(VolumeInfo.Member::node)
        .hasSizeGreaterThanOrEqualTo(2)
        .doesNotContain(before.get(0));
    assertThat(after.replacements()).containsEntry("OPERATOR", 1);
  }

  private static RrsRecord record(ClusterStore store) throws IOException {
    return store.rrs("disk", 0).orElseThrow().value();
  }

  /** Somebody writes records that no master has signed, an old one, or removes it. */
  private static void wrongRecords(ClusterStore store, RrsRecord old, RandomWrites writer)
      throws Exception {
    for (String what : List.of("forged", "old", "removed")) {
      Versioned<RrsRecord> now = store.rrs("disk", 0).orElseThrow();
      int epoch = now.value().epoch();
      switch (what) {
        case "forged" -> store.replaceRrs("disk", 0, now.version(), alone(now.value()));
        case "old" -> store.replaceRrs("disk", 0, now.version(), old);
        default -> store.deleteRrs("disk", 0);
      }
      Await.until(
          "a record that was " + what + " is made again",
          Duration.ofSeconds(60),
          () ->
              store
                  .rrs("disk", 0)
                  .filter(r -> r.value().epoch() > epoch)
                  .filter(r -> r.value().state() == RrsRecord.State.SERVING)
                  .filter(r -> r.value().history().replacements().containsKey(Cause.RECORD))
                  .isPresent());
      writer.awaitMore(100);
    }
  }

  /** An epoch of the region's second member alone, with the signature of the one that serves. */
  private static RrsRecord alone(RrsRecord now) {
    EpochLink link = now.link();
    EpochLink forged =
        new EpochLink(
            link.region(),
            link.epoch() + 1,
            List.of(link.members().get(1)),
            link.members(),
            link.epoch(),
            link.signature(),
            Waiver.TIME_IS_OVER,
            link.signature());
    return new RrsRecord(forged, RrsRecord.State.OPENING, "forged");
  }

  /** The fewest members of any region; -1 while a region does not serve or has this node. */
  private static int members(VolumeInfo info, String without) {
    boolean settled =
        info.regions().stream()
            .allMatch(
                r ->
                    r.state().equals("SERVING")
                        && r.members().stream().noneMatch(m -> m.node().equals(without)));
    return settled
        ? info.regions().stream().mapToInt(r -> r.members().size()).min().orElseThrow()
        : -1;
  }

  private static void stop(EmbeddedCluster cluster, String node) {
    cluster.abortServer(node, "a test");
    cluster.hdfs().stopDataNode(index(node));
  }

  private static int index(String node) {
    return Integer.parseInt(node.substring(node.lastIndexOf('.') + 1, node.indexOf(':'))) - 11;
  }

  /** The fewest replicas that any finished file of a volume has on living DataNodes. */
  private static int leastReplicas(EmbeddedCluster cluster) throws IOException {
    try (DistributedFileSystem fs =
        (DistributedFileSystem)
            FileSystem.newInstance(cluster.hdfs().nameNodeUri(), cluster.configuration())) {
      List<String> live =
          Arrays.stream(fs.getDataNodeStats(DatanodeReportType.LIVE))
              .map(DatanodeInfo::getXferAddr)
              .toList();
      int least = Integer.MAX_VALUE;
      for (RemoteIterator<LocatedFileStatus> files =
              fs.listFiles(new org.apache.hadoop.fs.Path("/salus"), true);
          files.hasNext(); ) {
        LocatedFileStatus file = files.next();
        if (fs.isFileClosed(file.getPath())) {
          long replicas =
              Arrays.stream(file.getBlockLocations()[0].getNames()).filter(live::contains).count();
          least = Math.min(least, (int) replicas);
        }
      }
      return least;
    } catch (FileNotFoundException deletedMeanwhile) {
      return 0;
    }
  }
}
