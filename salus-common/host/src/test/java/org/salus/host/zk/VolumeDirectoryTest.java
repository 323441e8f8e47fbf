package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;

/** Writes records as anybody can who reaches ZooKeeper. */
@Timeout(60)
class VolumeDirectoryTest {
  private static final VolumeSpec DISK =
      new VolumeSpec("disk0", 0x1234567L, 4096, 1000, 2, false, 1 << 27);
  private static final Signer MASTER = new Signer("secret".getBytes(StandardCharsets.UTF_8));
  private static final Signer FORGER = new Signer("guessed".getBytes(StandardCharsets.UTF_8));

  @TempDir private Path directory;
  private final BlockingQueue<Optional<Versioned<RrsRecord>>> told = new LinkedBlockingQueue<>();
  private NIOServerCnxnFactory zookeeper;
  private ClusterStore store;
  private VolumeDirectory records;

  private static RrsRecord rrs(int region, int epoch, Signer signer) {
    List<RrsRecord.Member> members =
        Stream.of("a" + epoch, "b" + epoch, "c" + epoch)
            .map(n -> new RrsRecord.Member(n, 7, n))
            .toList();
    return new RrsRecord(
            EpochLink.first(DISK.regionId(region), epoch, members, members, signer),
            RrsRecord.State.OPENING,
            "")
        .serving();
  }

  @BeforeEach
  void start() throws Exception {
    zookeeper = new NIOServerCnxnFactory();
    zookeeper.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    zookeeper.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500));
    store =
        ClusterStore.connect(
            "127.0.0.1:" + zookeeper.getLocalPort(), Duration.ofSeconds(10), Duration.ofSeconds(4));
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.ACTIVE));
    records =
        VolumeDirectory.watch(
            store,
            DISK,
            MASTER,
            (region, now) -> {
              if (region == 0) {
                told.add(now);
              }
            });
    assertThat(told.poll(20, TimeUnit.SECONDS)).as("there is no record yet").isEmpty();
    store.createRrs("disk0", 0, rrs(0, 5, MASTER));
    awaitEpoch(5);
  }

  @AfterEach
  void stop() {
    records.close();
    store.close();
    zookeeper.shutdown();
  }

  private void awaitEpoch(int epoch) throws Exception {
    assertThat(told.poll(20, TimeUnit.SECONDS))
        .as("the next that was told")
        .hasValueSatisfying(now -> assertThat(now.value().epoch()).isEqualTo(epoch));
    assertThat(records.node(0, 0)).isEqualTo("a" + epoch);
  }

  private void put(RrsRecord record) throws Exception {
    store.replaceRrs("disk0", 0, store.rrs("disk0", 0).orElseThrow().version(), record);
  }

  @Test
  void aRecordThatNoMasterHasSignedForTheRegionIsIgnored() throws Exception {
    put(rrs(0, 6, FORGER));
    assertThat(VolumeDirectory.read(store, DISK, 0, MASTER)).isEmpty();
    put(rrs(1, 7, MASTER));
    assertThat(VolumeDirectory.read(store, DISK, 0, MASTER)).isEmpty();
    put(rrs(0, 8, MASTER));
    awaitEpoch(8);
    assertThat(VolumeDirectory.read(store, DISK, 0, MASTER)).isPresent();
  }

  @Test
  void anOlderRecordIsIgnoredAlsoAfterItsSuccessorHasGone() throws Exception {
    put(rrs(0, 4, MASTER));
    store.deleteRrs("disk0", 0);
    assertThat(told.poll(20, TimeUnit.SECONDS)).as("it has gone").isEmpty();
    assertThat(records.nodes()).isEmpty();
    store.createRrs("disk0", 0, rrs(0, 4, MASTER));
    put(rrs(0, 5, MASTER).broken(null, "", ""));
    awaitEpoch(5);
  }

  @Test
  void anEpochThatHasNotServedIsFollowedByAnyOther() throws Exception {
    put(new RrsRecord(rrs(0, 9, MASTER).link(), RrsRecord.State.OPENING, ""));
    awaitEpoch(9);
    put(rrs(0, 6, MASTER));
    awaitEpoch(6);
  }
}
