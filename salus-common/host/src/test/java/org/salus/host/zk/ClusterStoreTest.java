package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.host.zk.TwoStores.DISK;
import static org.salus.host.zk.TwoStores.FIRST;
import static org.salus.host.zk.TwoStores.SECOND;
import static org.salus.host.zk.TwoStores.SIGNER;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.Test;
import org.salus.core.Reason;
import org.salus.core.VolumeSpec;
import org.salus.core.message.MessageCodec;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Suspicions;
import org.salus.host.zk.ClusterStore.RrsChange;

class ClusterStoreTest extends OnTwoStores {

  private static final VolumeSpec LARGE =
      new VolumeSpec("large", 5, 4096, 1000, 2000, false, 1 << 27);

  @Test
  void volumesAreCreatedOnceAndDeletedWhole() throws Exception {
    one.createRrs("disk0", 0, FIRST);
    assertThat(two.volume("disk0")).isEqualTo(DISK);
    VolumeSpec another = new VolumeSpec("disk0", 2, 4096, 1000, 2, false, 1 << 27);
    assertThatThrownBy(() -> two.createVolume(new VolumeRecord(another, VolumeRecord.State.ACTIVE)))
        .isInstanceOf(ClusterStoreException.Exists.class);
    two.beginDelete("disk0", false);
    assertThat(one.volume("disk0").state()).isEqualTo(VolumeRecord.State.DELETING);
    assertThatThrownBy(() -> one.acquireWriter(DISK.spec(), claim("me", true), () -> {}))
        .isInstanceOf(ClusterStoreException.Missing.class);
    two.finishDelete("disk0");
    assertThat(one.volumes()).isEmpty();
    assertThatThrownBy(() -> one.volume("disk0")).isInstanceOf(ClusterStoreException.Missing.class);
    assertThatThrownBy(() -> one.beginDelete("disk0", false))
        .isInstanceOf(ClusterStoreException.Missing.class);
  }

  @Test
  void aVolumeOfAnotherFormatIsRefusedWithTheWayOut() throws Exception {
    try (CuratorFramework raw = stores.raw()) {
      for (int format : new int[] {VolumeRecord.FORMAT + 1, VolumeRecord.FORMAT - 1}) {
        raw.setData()
            .forPath(
                "/salus/volumes/disk0",
                ("{\"format\":" + format + ",\"geometry\":\"another\"}")
                    .getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> one.volume("disk0"))
            .isInstanceOf(ClusterStoreException.Format.class)
            .hasMessage(
                "volume disk0 was written in format "
                    + format
                    + ", this program reads "
                    + VolumeRecord.FORMAT
                    + "; use the version of Salus that wrote it");
      }
      raw.setData()
          .forPath(
              "/salus/volumes/disk0",
              "{\"geometry\":\"another\"}".getBytes(StandardCharsets.UTF_8));
      assertThatThrownBy(() -> one.volume("disk0"))
          .as("the first format had no number at first")
          .isInstanceOf(ClusterStoreException.Format.class)
          .hasMessageContaining("was written in format 1");
      assertThatThrownBy(() -> one.beginDelete("disk0", true))
          .isInstanceOf(ClusterStoreException.Format.class);
      assertThatThrownBy(() -> one.acquireWriter(DISK.spec(), claim("me", true), () -> {}))
          .isInstanceOf(ClusterStoreException.Format.class);
    }
  }

  @Test
  void aVolumeRecordThatIsNoneFailsTheCallsForThatVolume() throws Exception {
    String bare = "{\"format\":" + VolumeRecord.FORMAT + "}";
    try (CuratorFramework raw = stores.raw()) {
      for (String junk : List.of("junk", "", "7", "null", bare)) {
        raw.setData().forPath("/salus/volumes/disk0", junk.getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> one.volume("disk0"))
            .as(junk)
            .isInstanceOf(ClusterStoreException.class)
            .hasMessageContaining("volume disk0");
      }
    }
  }

  @Test
  void aServerOfAnotherSecretIsTold() {
    byte[] secret = {1, 2, 3};
    Map<String, ServerRecord> servers =
        new TreeMap<>(
            Map.of("a:1", TwoStores.server("a:1", secret), "b:1", TwoStores.server("b:1", secret)));
    assertThat(ServerRecord.strangers(servers, secret)).isEmpty();
    assertThat(ServerRecord.strangers(servers, new byte[0])).containsOnlyKeys("a:1", "b:1");
    servers.put("b:1", TwoStores.server("a:1", secret));
    assertThat(ServerRecord.strangers(servers, secret))
        .as("another's proof")
        .containsOnlyKeys("b:1")
        .containsEntry("b:1", Reason.OTHER_SECRET);
  }

  @Test
  void aServerThatSpeaksAnotherFormatIsTold() throws Exception {
    byte[] secret = {1, 2, 3};
    ServerRecord ours = TwoStores.server("a:1", secret);
    Map<String, ServerRecord> servers =
        Map.of(
            "a:1",
            ours,
            "b:1",
            new ServerRecord(
                "127.0.0.1", 7, "127.0.0.1:9866", 5, MessageCodec.FORMAT + 1, ours.proof()));
    assertThat(ServerRecord.strangers(servers, secret))
        .containsOnlyKeys("b:1")
        .hasEntrySatisfying(
            "b:1",
            why ->
                assertThat(why.words())
                    .contains("format " + (MessageCodec.FORMAT + 1))
                    .contains("run one version of Salus"));
    String beforeFormats =
        "{\"host\":\"127.0.0.1\",\"port\":7,\"dataNode\":\"127.0.0.1:9866\",\"startCode\":5,\"proof\":\""
            + ours.proof()
            + "\"}";
    assertThat(
            ServerRecord.strangers(
                Map.of("a:1", new ObjectMapper().readValue(beforeFormats, ServerRecord.class)),
                secret))
        .containsOnlyKeys("a:1");
  }

  @Test
  void secondMasterCannotOverwriteTheFirst() throws Exception {
    int version = one.createRrs("disk0", 0, FIRST).version();
    one.replaceRrs("disk0", 0, version, SECOND);
    assertThatThrownBy(() -> two.replaceRrs("disk0", 0, version, FIRST))
        .isInstanceOf(ClusterStoreException.Conflict.class);
    assertThat(two.rrs("disk0", 0)).contains(new Versioned<>(SECOND, version + 1));
  }

  @Test
  void recordsOfSeveralRegionsAreReplacedAllOrNone() throws Exception {
    one.createRrs("disk0", 0, FIRST);
    one.createRrs("disk0", 1, FIRST);
    one.replaceRrs("disk0", List.of(new RrsChange(0, 0, SECOND), new RrsChange(1, 0, SECOND)));
    assertThat(two.rrs("disk0", 1)).contains(new Versioned<>(SECOND, 1));
    assertThatThrownBy(
            () ->
                two.replaceRrs(
                    "disk0", List.of(new RrsChange(0, 1, FIRST), new RrsChange(1, 0, FIRST))))
        .isInstanceOf(ClusterStoreException.Conflict.class);
    assertThat(two.rrs("disk0", 0)).contains(new Versioned<>(SECOND, 1));
  }

  /** Anybody can write it, and the master asks the DataNodes that it names. */
  @Test
  void aRegistrationWithoutADataNodeIsNoServers() throws Exception {
    for (String dataNode : new String[] {null, "", "x", "x:", "x:99999"}) {
      try (Watch junk =
          one.registerServer(
              "junk:1", new ServerRecord("h", 7, dataNode, 5, 0, "proof"), new byte[0])) {
        assertThat(two.servers()).as(dataNode).isEmpty();
      }
    }
  }

  @Test
  void aRegistrationThatCannotBeReadIsNoServers() throws Exception {
    byte[] secret = {1, 2};
    try (CuratorFramework raw = stores.raw();
        Watch right = one.registerServer("a:1", started(5, secret), secret)) {
      for (String junk : List.of("", "junk", "null", "7", "[1]", "{\"port\":\"x\"}")) {
        raw.create()
            .orSetData()
            .forPath("/salus/servers/b:2", junk.getBytes(StandardCharsets.UTF_8));
        assertThat(two.servers()).as(junk).containsOnlyKeys("a:1");
      }
      raw.delete().forPath("/salus/servers/b:2");
    }
  }

  private static ServerRecord started(long startCode, byte[] secret) {
    return ServerRecord.of("a:1", "127.0.0.1", 7, "127.0.0.1:9866", startCode, secret);
  }

  /** Anybody can write it. */
  @Test
  void whatNoServerHasSignedKeepsNoServerOut() throws Exception {
    byte[] secret = {1, 2};
    ServerRecord ours = started(5, secret);
    ObjectMapper json = new ObjectMapper();
    ServerRecord unsigned =
        new ServerRecord("h", 7, "127.0.0.1:9866", 9, MessageCodec.FORMAT, ours.proof());
    for (byte[] forged :
        List.of(
            json.writeValueAsBytes(unsigned),
            json.writeValueAsBytes(started(9, new byte[] {3})),
            "null".getBytes(StandardCharsets.UTF_8),
            "{".getBytes(StandardCharsets.UTF_8))) {
      try (CuratorFramework raw = stores.raw()) {
        raw.create().creatingParentsIfNeeded().forPath("/salus/servers/a:1", forged);
      }
      try (Watch registration = one.registerServer("a:1", ours, secret)) {
        assertThat(two.servers())
            .as(new String(forged, StandardCharsets.UTF_8))
            .containsExactly(Map.entry("a:1", ours));
      }
    }
  }

  @Test
  void ofTwoServersWithTheSecretTheLaterOneStays() throws Exception {
    byte[] secret = {1, 2};
    try (Watch later = two.registerServer("a:1", started(6, secret), secret);
        Watch earlier = one.registerServer("a:1", started(5, secret), secret)) {
      assertThat(two.servers()).containsExactly(Map.entry("a:1", started(6, secret)));
    }
  }

  @Test
  void aRestoredVolumeHasNoRecordsOfRegionsAndIsNotRestoredTwice() throws Exception {
    one.restoreVolume(LARGE, 17);
    assertRestored();
    assertThatThrownBy(() -> two.restoreVolume(LARGE, 18))
        .isInstanceOf(ClusterStoreException.Exists.class);
    assertThat(one.acquireWriter(LARGE, claim("me", false), () -> {}).mountEpoch()).isEqualTo(18);
  }

  private void assertRestored() throws Exception {
    assertThat(two.volume("large")).isEqualTo(new VolumeRecord(LARGE, VolumeRecord.State.ACTIVE));
    assertThat(two.nodes().children("/volumes/large/rrs")).isEmpty();
  }

  @Test
  void restorationThatWasBrokenOffLeavesNothingThatCanBeUsedAndIsRepeatedWhole() throws Exception {
    restoration(one).begin();
    for (int r = 0; r < 3 * ClusterStore.MOST_CHANGES; r++) { // as an earlier version left them
      one.createRrs("large", r, FIRST);
    }
    assertThat(two.volume("large").state()).isEqualTo(VolumeRecord.State.RESTORING);
    assertThatThrownBy(() -> two.acquireWriter(LARGE, claim("me", true), () -> {}))
        .isInstanceOf(ClusterStoreException.Restoring.class);
    two.restoreVolume(LARGE, 30);
    assertRestored();
    assertThat(one.acquireWriter(LARGE, claim("me", false), () -> {}).mountEpoch()).isEqualTo(31);
  }

  @Test
  void ofTwoRestorationsTheOneThatBeganLastHolds() throws Exception {
    int begun = restoration(one).begin();
    two.restoreVolume(LARGE, 30);
    assertThatThrownBy(() -> restoration(one).finish(begun))
        .isInstanceOf(ClusterStoreException.Conflict.class);
    assertRestored();
    assertThat(one.acquireWriter(LARGE, claim("me", false), () -> {}).mountEpoch()).isEqualTo(31);
  }

  @Test
  void whoHasRemovedTheFilesOfAVolumeSaysNothingAboutItsSuccessor() throws Exception {
    VolumeSpec first = new VolumeSpec("again", 21, 4096, 1000, 1, false, 1 << 27);
    one.createVolume(new VolumeRecord(first, VolumeRecord.State.ACTIVE));
    one.filesDeleted(first);
    assertThat(one.volume("again").state()).isEqualTo(VolumeRecord.State.ACTIVE);
    one.beginDelete("again", false);
    one.filesDeleted(first);
    assertThat(one.volume("again").state()).isEqualTo(VolumeRecord.State.DELETED);
    one.finishDelete("again");
    two.filesDeleted(first);
    VolumeSpec second = new VolumeSpec("again", 22, 4096, 1000, 1, false, 1 << 27);
    one.createVolume(new VolumeRecord(second, VolumeRecord.State.ACTIVE));
    one.beginDelete("again", false);
    two.filesDeleted(first);
    assertThat(one.volume("again").state()).isEqualTo(VolumeRecord.State.DELETING);
  }

  @Test
  void watchTellsCreationAndChange() throws Exception {
    BlockingQueue<Optional<Versioned<RrsRecord>>> seen = new LinkedBlockingQueue<>();
    try (Watch watch = two.watchRrs("disk0", 1, seen::add)) {
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEmpty();
      one.createRrs("disk0", 1, FIRST);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).contains(new Versioned<>(FIRST, 0));
      one.replaceRrs("disk0", 1, 0, SECOND);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).contains(new Versioned<>(SECOND, 1));
    }
  }

  @Test
  void whoCouldNotUseWhatAWatchToldIsToldAgain() throws Exception {
    BlockingQueue<List<String>> seen = new LinkedBlockingQueue<>();
    AtomicBoolean failed = new AtomicBoolean();
    Watch.Callback<List<String>> callback =
        now -> {
          seen.add(now);
          if (failed.compareAndSet(false, true)) {
            throw new ClusterStoreException.Unreachable("no answer", null);
          }
        };
    List<String> told = two.volumes();
    try (Watch watch = two.watchVolumes(callback)) {
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo(told);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo(told);
    }
  }

  @Test
  void aRecordIsReadAsItWasWritten() throws Exception {
    EpochLink link = FIRST.link().next(2, SECOND.members(), SIGNER);
    RrsRecord written =
        new RrsRecord(
            link,
            RrsRecord.State.BROKEN,
            true,
            "c:1",
            "c:1 lied",
            Cause.WRONG_ANSWER,
            new RrsRecord.History(44, Map.of(Cause.WRONG_ANSWER, 1, Cause.GONE, 1)),
            new RrsRecord.Joining(FIRST.members().get(1), true),
            Suspicions.NONE,
            Map.of("c:1", 1));
    one.createRrs("disk0", 0, written);
    RrsRecord read = two.rrs("disk0", 0).orElseThrow().value();
    assertThat(read).isEqualTo(written);
    assertThat(read.link().isGenuine(SIGNER)).isTrue();
  }

  @Test
  void aRecordThatCannotBeReadIsOneThatNobodyHasSigned() throws Exception {
    try (CuratorFramework raw = stores.raw()) {
      Versioned<RrsRecord> now = one.createRrs("disk0", 0, FIRST);
      for (String junk :
          List.of("", "junk", "null", "{}", "{\"link\":{},\"state\":\"SERVING\"}", "[1]")) {
        raw.setData().forPath("/salus/volumes/disk0/rrs/0", junk.getBytes(StandardCharsets.UTF_8));
        Versioned<RrsRecord> found = two.rrs("disk0", 0).orElseThrow();
        assertThat(found.version()).isEqualTo(now.version() + 1);
        assertThat(found.value().link().isGenuine(SIGNER)).as(junk).isFalse();
        now = two.replaceRrs("disk0", 0, found.version(), FIRST);
      }
      assertThat(one.rrs("disk0", 0)).contains(now);
    }
  }

  @Test
  void aWatchThatIsClosedHoldsOnToNothing() throws Exception {
    CountDownLatch told = new CountDownLatch(1);
    Object[] large = {new Object()};
    WeakReference<Object> kept = new WeakReference<>(large[0]);
    Watch watch = watching(large[0], told);
    assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
    watch.close();
    large[0] = null;
    await(
        () -> {
          System.gc();
          return kept.get() == null;
        });
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)); // the test's time limit ends it
    }
  }

  private Watch watching(Object forWhom, CountDownLatch told) {
    return one.watchVolume(
        "disk0",
        now -> {
          assertThat(forWhom).isNotNull();
          told.countDown();
        });
  }

  @Test
  void unreachableZooKeeperIsAOneLineFailure() {
    assertThatThrownBy(
            () ->
                ClusterStore.connect("127.0.0.1:1", Duration.ofMillis(500), Duration.ofSeconds(4)))
        .isInstanceOf(ClusterStoreException.Unreachable.class)
        .hasMessageNotContaining("\n");
  }

  private static VolumeRestoration restoration(ClusterStore by) {
    return new VolumeRestoration(by, by.nodes(), LARGE, 17);
  }

  private static WriterClaim claim(String holder, boolean force) {
    return new WriterClaim(holder, "", force);
  }
}
