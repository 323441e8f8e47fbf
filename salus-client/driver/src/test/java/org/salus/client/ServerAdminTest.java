package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.cluster.Nodes;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.FaultHandler;
import org.salus.host.config.ClusterSettings;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.WaitsRecord;
import org.salus.host.zk.Watch;

/** Servers, what needs them and what waits at them, as a real ZooKeeper has it. */
@Timeout(60)
class ServerAdminTest {
  private static final byte[] SECRET = {1};
  private static final Signer SIGNER = new Signer(SECRET);
  private static final VolumeSpec DISK = new VolumeSpec("disk", 77, 4096, 1000, 1, false, 1 << 27);

  @TempDir private Path directory;
  private NIOServerCnxnFactory zookeeper;
  private ClusterStore store;
  private ServerAdmin admin;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new NIOServerCnxnFactory();
    zookeeper.configure(new InetSocketAddress("127.0.0.1", 0), 50);
    zookeeper.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 500));
    store = ClusterStore.connect(quorum(), Duration.ofSeconds(10), Duration.ofSeconds(4));
    admin = new ServerAdmin(store, () -> ServerLook.read(store, SIGNER));
  }

  private String quorum() {
    return "127.0.0.1:" + zookeeper.getLocalPort();
  }

  @AfterEach
  void stop() {
    store.close();
    zookeeper.shutdown();
  }

  private void register(String... nodes) throws Exception {
    for (String n : nodes) {
      store.registerServer(
          n, ServerRecord.of(n, "127.0.0.1", 7, "127.0.0.1:9866", 5, SECRET), SECRET);
    }
  }

  private static RrsRecord.Member member(String node) {
    return new RrsRecord.Member(node, 7, node);
  }

  private static RrsRecord opening(Signer signer, String... nodes) {
    List<RrsRecord.Member> members = Arrays.stream(nodes).map(ServerAdminTest::member).toList();
    EpochLink link = EpochLink.first(DISK.regionId(0), 1, members, members, signer);
    return new RrsRecord(link, RrsRecord.State.OPENING, "");
  }

  private void disk(RrsRecord rrs) throws Exception {
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.ACTIVE));
    store.createRrs("disk", 0, rrs);
  }

  @Test
  void whoGetsReadyToJoinIsNeededToo() throws Exception {
    disk(opening(SIGNER, "a:1", "b:1", "c:1").serving().joining(member("d:1"), false));
    ServerList all = admin.list();
    assertThat(all.unknown()).isEmpty();
    assertThat(all.servers())
        .extracting(ServerInfo::name)
        .containsExactly("a:1", "b:1", "c:1", "d:1");
    assertThat(all.servers()).allMatch(s -> s.regions() == 1);
    assertThat(all.isFree("d")).isFalse();
    assertThat(all.isFree("e")).isTrue();
  }

  @Test
  void aServerIsNeededWhileAnotherMembersReplicaIsBesideIt() throws Exception {
    store.registerServer(
        "d:1", ServerRecord.of("d:1", "127.0.0.1", 7, "10.0.0.4:9866", 5, SECRET), SECRET);
    List<RrsRecord.Member> members =
        List.of(member("a:1"), new RrsRecord.Member("b:1", 7, "10.0.0.4:9866"), member("c:1"));
    EpochLink link = EpochLink.first(DISK.regionId(0), 1, members, members, SIGNER);
    disk(new RrsRecord(link, RrsRecord.State.OPENING, "").serving());
    assertThat(admin.list().regions("d")).isEqualTo(1);
    assertThat(admin.list().isFree("d")).isFalse();
  }

  @Test
  void aDrainedServerThatHasStoppedIsNeededWhileAReplicaIsOnItsDataNode() throws Exception {
    register("a:1", "b:1", "c:1");
    Watch registration =
        store.registerServer(
            "d:1", ServerRecord.of("d:1", "127.0.0.1", 7, "10.0.0.4:9866", 5, SECRET), SECRET);
    List<RrsRecord.Member> members =
        List.of(member("a:1"), new RrsRecord.Member("b:1", 7, "10.0.0.4:9866"), member("c:1"));
    EpochLink link = EpochLink.first(DISK.regionId(0), 1, members, members, SIGNER);
    disk(new RrsRecord(link, RrsRecord.State.OPENING, "").serving());
    assertThat(admin.drain("d", false)).hasSize(1);
    registration.close();
    ServerList now = admin.list();
    assertThat(now.servers().stream().filter(ServerInfo::running)).hasSize(3);
    assertThat(now.regions("d")).isEqualTo(1);
    assertThat(now.isFree("d")).isFalse();
  }

  @Test
  void whatTheMasterHasNotSignedMakesTheNumberUnknown() throws Exception {
    disk(opening(new Signer(new byte[] {2}), "a:1", "b:1", "c:1").serving());
    ServerList all = admin.list();
    assertThat(all.servers()).isEmpty();
    assertThat(all.unknown())
        .containsExactly("region 0 of volume disk has no record that the master has signed");
    assertThat(all.isFree("a")).isFalse();
    store.deleteRrs("disk", 0);
    assertThat(admin.list().unknown()).hasSize(1);
    store.beginDelete("disk", false);
    assertThat(admin.list().unknown()).as("the master removes its records").isEmpty();
  }

  @Test
  void aVolumeThatIsBeingRepairedMakesTheNumberUnknown() throws Exception {
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.RESTORING));
    assertThat(admin.list().unknown()).containsExactly("volume disk is being repaired");
  }

  @Test
  void volumesThatCannotBeReadAreToldAndTheOthersCount() throws Exception {
    disk(opening(SIGNER, "a:1", "b:1", "c:1").serving());
    try (CuratorFramework raw =
        CuratorFrameworkFactory.newClient(quorum(), new RetryOneTime(100))) {
      raw.start();
      raw.create().forPath("/salus/volumes/junk", "{".getBytes(StandardCharsets.UTF_8));
      raw.create()
          .forPath("/salus/volumes/other", "{\"format\":99}".getBytes(StandardCharsets.UTF_8));
    }
    ServerList all = admin.list();
    assertThat(all.regions("a")).isEqualTo(1);
    assertThat(all.unknown()).hasSize(2);
    assertThat(all.unknown().get(0)).startsWith("volume junk: ");
    assertThat(all.unknown().get(1)).startsWith("volume other: ").contains("99");
  }

  @Test
  void ofTwoWhoDrainAtOnceNobodyTakesTooMany() throws Exception {
    register("a:1", "b:1", "c:1", "d:1");
    ServerAdmin raced =
        new ServerAdmin(
            store,
            () -> {
              ServerList seen = ServerLook.read(store, SIGNER);
              store.drained().add("d", Map.of());
              return seen;
            });
    assertThatThrownBy(() -> raced.drain("a", false))
        .isInstanceOf(SalusException.Unavailable.class)
        .hasMessageContaining("only [b:1, c:1] would be left");
    assertThat(store.drained().all()).containsExactly("d");
    assertThat(raced.drain("a", true)).hasSize(1);
    assertThat(store.drained().all()).containsExactly("a", "d");
  }

  @Test
  void whatStillStandsIsToldWhenANoteIsRemoved() throws Exception {
    store.drained().add("a", Map.of());
    store.drained().add("a:1", Map.of());
    store.drained().add("b", Map.of());
    assertThat(admin.undrain("a")).containsExactly("a:1");
    store.drained().add("a", Map.of());
    assertThat(admin.undrain("a:1")).containsExactly("a");
    assertThat(admin.undrain("b")).isEmpty();
    assertThatThrownBy(() -> admin.undrain("b"))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("drained are [a]");
  }

  @Test
  void aVolumeThatIsDeletedIsNotWaitedFor() throws Exception {
    store.createVolume(new VolumeRecord(DISK, VolumeRecord.State.ACTIVE));
    VolumeAdmin volumes = new VolumeAdmin(store, null, ClusterSettings.from(Map.of()), SECRET);
    CompletableFuture<Void> waits = CompletableFuture.runAsync(() -> volumes.awaitServing(DISK));
    assertThat(waits).isNotDone();
    store.beginDelete("disk", false);
    store.finishDelete("disk");
    assertThatThrownBy(waits::join)
        .hasCauseInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("volume disk was deleted meanwhile");
  }

  private static WaitsRecord.Waits slow(String volume, int region, int count) {
    WaitsRecord.Cause cause = WaitsRecord.Cause.APPEND;
    return new WaitsRecord.Waits(
        volume, region, 1, cause, List.of("10.0.0.1:9866"), 0, 0, count, 5);
  }

  @Test
  void whatWaitsIsToldOfMembersAndOfServersThatWereMembersOfTheRegion() throws Exception {
    disk(opening(SIGNER, "a:1", "b:1", "c:1").serving());
    store.reports().waits("a:1", new WaitsRecord(List.of(slow("disk", 0, 3))));
    store.reports().waits("d:1", new WaitsRecord(List.of(slow("disk", 0, 4), slow("disk", 1, 1))));
    store.reports().waits("e:1", new WaitsRecord(List.of(slow("other", 0, 1))));
    try (Loops loops = new Loops("test", 1, FaultHandler.stopping("test", () -> {}));
        Nodes nodes = new Nodes(store, loops, SECRET)) {
      VolumeInfo.Region region =
          new Inspection(store, nodes, SECRET, Duration.ZERO).info("disk").regions().get(0);
      assertThat(region.members())
          .extracting(m -> m.waits().stream().map(Wait::slow).toList())
          .containsExactly(List.of(3L), List.of(), List.of());
      assertThat(region.former()).extracting(VolumeInfo.Former::node).containsExactly("d:1");
      assertThat(region.former().get(0).waits()).extracting(Wait::slow).containsExactly(4L);
    }
  }
}
