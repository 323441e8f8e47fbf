package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.metrics.Metrics;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerDirectory;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeRecord;
import org.salus.regionserver.hdfs.RegionStores;
import org.salus.regionserver.hdfs.ScrubFile;
import org.salus.regionserver.hdfs.TestVolume;
import org.salus.regionserver.meter.VolumeMeter;

/** Checks the work of a server for a region in which it has no member. */
@Timeout(120)
@Tag("cluster")
class HostedRegionTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 1500;
  private static final String LEFT_OUT = "node3";

  private final VolumeSpec spec = new VolumeSpec("disk", 79, BLOCK, 4096, 2, false, 1 << 20);

  @TempDir Path dir;

  private static List<RrsRecord.Member> members(String... nodes) {
    return Arrays.stream(nodes).map(n -> new RrsRecord.Member(n, 7, n)).toList();
  }

  private RrsRecord first(String... nodes) {
    return new RrsRecord(
            EpochLink.first(
                spec.regionId(0), 1, members(nodes), members(nodes), new Signer(TestVolume.SECRET)),
            RrsRecord.State.OPENING,
            "")
        .serving();
  }

  /** The epoch after a wrong answer, which serves. */
  private RrsRecord next(RrsRecord broken, String... nodes) {
    return new RrsRecord(
        broken.link().next(2, members(nodes), new Signer(TestVolume.SECRET)),
        RrsRecord.State.SERVING,
        true,
        "",
        broken.note(),
        null,
        broken.history(),
        null,
        broken.suspicions(),
        broken.doubted());
  }

  /** A server that has just started, and the files of region 0 that it is to check. */
  private final class Started implements AutoCloseable {
    final List<String> doubtful = new ArrayList<>();
    final List<ScrubFile> files = new ArrayList<>();
    private final ServerThreads threads =
        new ServerThreads(
            "test",
            1,
            (what, bug) -> {
              throw new AssertionError(what, bug);
            });
    private final Metrics metrics = new Metrics();
    private final ServerDirectory servers;
    private final HostedRegion region;

    Started(ClusterStore store, RegionStores stores) throws Exception {
      this.servers = ServerDirectory.watch(store, now -> {});
      this.region =
          new HostedRegion(
              spec,
              0,
              new HostTools(
                  new ThisServer(LEFT_OUT, 8, TestVolume.SECRET),
                  store,
                  servers,
                  new ServerDisk(stores, path -> {}),
                  null,
                  threads,
                  new ConfiguredMembers(null, 8, TestVolume.SECRET),
                  metrics),
              () -> new VolumeMeter(metrics, spec.name()));
      region.follow(store.rrs(spec.name(), 0).orElseThrow());
    }

    boolean look(List<String> pending) {
      files.clear();
      return region.addFiles(files, doubtful, pending::contains);
    }

    void awaitFiles() {
      do {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(look(doubtful)).as("nothing is missing").isTrue();
      } while (files.isEmpty());
    }

    @Override
    public void close() throws Exception {
      region.close();
      servers.close();
      threads.close();
    }
  }

  /** Waits, at most 10 s, until ZooKeeper has the note that the server's replicas are checked. */
  private void awaitTrust(ClusterStore store) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!store.rrs(spec.name(), 0).orElseThrow().value().doubted().isEmpty()
        && System.nanoTime() < end) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Test
  void aServerThatAnsweredWronglyChecksItsReplicasUntilAllAreGoodHoweverOftenItStarts()
      throws Exception {
    try (TestVolume v = new TestVolume(dir.resolve("hdfs"), spec, 2, 1);
        TestZooKeeper zookeeper = new TestZooKeeper(dir.resolve("zookeeper"));
        ClusterStore store = zookeeper.connect();
        RegionStores stores = new RegionStores(v.settings(), TestVolume.SECRET)) {
      v.awaitMount();
      v.write(0, ByteBuffer.wrap(new byte[BLOCKS * BLOCK])).get();
      v.flush().get();
      v.awaitCompletion(stores, 2);
      v.stopMembers();
      List<String> certified =
          stores.certified(spec, spec.regionId(0), 2).stream().map(ScrubFile::path).toList();
      assertThat(certified).isNotEmpty();
      RrsRecord broken =
          first("node0", "node1", LEFT_OUT).broken(Cause.WRONG_ANSWER, LEFT_OUT, "it lied");
      store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
      store.createRrs(spec.name(), 0, next(broken, "node0", "node1", "node2"));

      try (Started server = new Started(store, stores)) {
        server.awaitFiles();
        assertThat(server.doubtful).isEqualTo(certified);
        server.look(certified.subList(1, 2));
        assertThat(server.doubtful).as("said once").isEqualTo(certified);
      }
      try (Started server = new Started(store, stores)) {
        server.awaitFiles();
        assertThat(server.doubtful)
            .as("what was not through when the server stopped")
            .isEqualTo(certified);
        server.look(List.of());
        awaitTrust(store);
      }
      assertThat(store.rrs(spec.name(), 0).orElseThrow().value().doubted()).isEmpty();
      try (Started server = new Started(store, stores)) {
        assertThat(server.look(List.of())).isTrue();
        assertThat(server.doubtful).isEmpty();
      }
    }
  }

  @Test
  void aServerThatMayGetAMemberDoesNotKnowAllItsFiles() throws Exception {
    try (TestZooKeeper zookeeper = new TestZooKeeper(dir);
        ClusterStore store = zookeeper.connect()) {
      store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
      store.createRrs(spec.name(), 0, first("node0", "node1"));
      try (Started server = new Started(store, null)) {
        assertThat(server.look(List.of())).as("a third is wanted").isFalse();
        server.region.follow(new Versioned<>(first("node0", "node1", LEFT_OUT), 1));
        assertThat(server.look(List.of())).as("another process of it was a member").isFalse();
        server.region.follow(new Versioned<>(first("node0", "node1", "node2"), 2));
        assertThat(server.look(List.of())).as("it has no part").isTrue();
        assertThat(server.metrics.look()).as("no member, no series").isEmpty();
      }
    }
  }
}
