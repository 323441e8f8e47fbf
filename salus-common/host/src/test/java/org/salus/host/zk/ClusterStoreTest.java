package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
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
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.server.DataNode;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.core.Quota;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.message.MessageCodec;
import org.salus.core.mount.Reader;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Suspicions;
import org.salus.core.session.Accusation;
import org.salus.host.zk.ClusterStore.RrsChange;

@Timeout(60)
class ClusterStoreTest {
  private static final VolumeRecord DISK =
      new VolumeRecord(
          new VolumeSpec("disk0", 0x1234567L, 4096, 1000, 2, false, 1 << 27),
          VolumeRecord.State.ACTIVE);
  private static final Signer SIGNER = new Signer(new byte[0]);
  private static final RrsRecord FIRST = rrs(1, RrsRecord.State.OPENING, "a:1", "b:1", "c:1");
  private static final RrsRecord SECOND = rrs(2, RrsRecord.State.SERVING, "a:1", "c:1");

  private static List<RrsRecord.Member> members(String... nodes) {
    return Arrays.stream(nodes).map(n -> new RrsRecord.Member(n, 7, n)).toList();
  }

  private static RrsRecord rrs(int epoch, RrsRecord.State state, String... nodes) {
    return new RrsRecord(
        EpochLink.first(DISK.spec().regionId(0), epoch, members(nodes), members(nodes), SIGNER),
        state,
        "");
  }

  @TempDir private Path directory;
  private NIOServerCnxnFactory factory;
  private ZooKeeperServer zookeeper;
  private ClusterStore one;
  private ClusterStore two;

  @BeforeEach
  void start() throws Exception {
    zookeeper = new ZooKeeperServer(directory.toFile(), directory.toFile(), 500);
    factory = new NIOServerCnxnFactory();
    factory.configure(new java.net.InetSocketAddress("127.0.0.1", 0), 50);
    factory.startup(zookeeper);
    one = connect();
    two = connect();
    one.createVolume(DISK);
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
    factory.shutdown();
  }

  private ClusterStore connect() throws ClusterStoreException {
    return ClusterStore.connect(
        "127.0.0.1:" + factory.getLocalPort(), Duration.ofSeconds(10), Duration.ofSeconds(4));
  }

  @Test
  void volumesAreCreatedOnceAndDeletedWhole() throws Exception {
    one.createRrs("disk0", 0, FIRST);
    assertThat(two.volume("disk0")).isEqualTo(DISK);
    assertThatThrownBy(() -> two.createVolume(DISK))
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
    try (CuratorFramework raw =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + factory.getLocalPort(), new RetryOneTime(100))) {
      raw.start();
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
  void aServerOfAnotherSecretIsTold() {
    byte[] secret = {1, 2, 3};
    Map<String, ServerRecord> servers =
        new TreeMap<>(Map.of("a:1", record("a:1", secret), "b:1", record("b:1", secret)));
    assertThat(ServerRecord.strangers(servers, secret)).isEmpty();
    assertThat(ServerRecord.strangers(servers, new byte[0])).containsOnlyKeys("a:1", "b:1");
    servers.put("b:1", record("a:1", secret));
    assertThat(ServerRecord.strangers(servers, secret))
        .as("another's proof")
        .containsOnlyKeys("b:1")
        .containsEntry("b:1", Reason.OTHER_SECRET);
  }

  private static ServerRecord record(String node, byte[] secret) {
    return ServerRecord.of(node, "127.0.0.1", 7, "127.0.0.1:9866", 5, secret);
  }

  @Test
  void aServerThatSpeaksAnotherFormatIsTold() throws Exception {
    byte[] secret = {1, 2, 3};
    ServerRecord ours = record("a:1", secret);
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

  private static final VolumeSpec LARGE =
      new VolumeSpec("large", 5, 4096, 1000, 2000, false, 1 << 27);

  /** Anybody can write it, and the master asks the DataNodes that it names. */
  @Test
  void aRegistrationWithoutADataNodeIsNoServers() throws Exception {
    for (String dataNode : new String[] {null, "", "x", "x:", "x:99999"}) {
      try (Watch junk =
          one.registerServer("junk:1", new ServerRecord("h", 7, dataNode, 5, 0, "proof"))) {
        assertThat(two.servers()).as(dataNode).isEmpty();
      }
    }
  }

  @Test
  void whoHadAVolumeDoesNotClaimAnotherOneOfItsName() throws Exception {
    VolumeSpec now = DISK.spec();
    VolumeSpec old = new VolumeSpec(now.name(), 2, 4096, 10, 1, false, 1 << 27);
    assertThatThrownBy(() -> two.acquireWriter(old, claim("me", true), () -> {}))
        .isInstanceOf(ClusterStoreException.Missing.class)
        .hasMessageContaining("another one has its name");
    assertThat(two.writer(now.name())).isEmpty();
    assertThat(two.acquireWriter(now, claim("me", true), () -> {}).mountEpoch()).isEqualTo(1);
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
    assertThat(two.children("/volumes/large/rrs")).isEmpty();
  }

  @Test
  void restorationThatWasBrokenOffLeavesNothingThatCanBeUsedAndIsRepeatedWhole() throws Exception {
    one.beginRestore(LARGE, 17);
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
    int begun = one.beginRestore(LARGE, 17);
    two.restoreVolume(LARGE, 30);
    assertThatThrownBy(() -> one.finishRestore(LARGE, 17, begun))
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
  void secondWriterIsRefusedAndForceTakesOver() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    WriterLease first = one.acquireWriter(DISK.spec(), claim("alice", false), lost::countDown);
    assertThat(first.mountEpoch()).isEqualTo(1);
    assertThatThrownBy(() -> two.acquireWriter(DISK.spec(), claim("bob", false), () -> {}))
        .isInstanceOfSatisfying(
            ClusterStoreException.Busy.class,
            busy -> assertThat(busy.writer()).isEqualTo(first.record()));
    WriterLease second = two.acquireWriter(DISK.spec(), claim("bob", true), () -> {});
    assertThat(second.mountEpoch()).isEqualTo(2);
    assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
    first.close();
    assertThat(one.writer("disk0").orElseThrow().value()).isEqualTo(second.record());
    second.close();
    assertThat(one.writer("disk0")).isEmpty();
  }

  @Test
  void aLeaseIsOverWhenItsStoreIsClosedBeforeIt() throws Exception {
    WriterLease lease = one.acquireWriter(DISK.spec(), claim("alice", false), () -> {});
    one.close();
    lease.close();
    assertThat(lease.isHeld()).isFalse();
    two.acquireWriter(DISK.spec(), claim("bob", false), () -> {}).close();
  }

  @Test
  void aServiceTakesOverFromItsOwnEndedProcessAndFromNobodyElse() throws Exception {
    WriterClaim bridge = new WriterClaim("bridge", "nbd on host:10809", false);
    WriterRecord alive = one.acquireWriter(DISK.spec(), bridge, () -> {}).record();
    assertThat(alive.service()).isEqualTo("nbd on host:10809");
    WriterClaim again = new WriterClaim("bridge", "nbd on host:10809", false);
    assertThatThrownBy(() -> two.acquireWriter(DISK.spec(), again, () -> {}))
        .isInstanceOf(ClusterStoreException.Busy.class);
    WriterRecord ended =
        new WriterRecord("bridge", alive.since(), 1, alive.service(), Long.MAX_VALUE, "", false);
    assertThat(bridge.putsOut(ended)).isTrue();
    assertThat(
            bridge.putsOut(
                new WriterRecord("bridge", 0, 1, alive.service(), alive.pid(), "", false)))
        .as("an earlier process of the same id")
        .isTrue();
    assertThat(new WriterClaim("bridge", "nbd on host:10810", false).putsOut(ended)).isFalse();
    assertThat(
            claim("alice", false)
                .putsOut(new WriterRecord("bob", 0, 1, null, Long.MAX_VALUE, "", false)))
        .isFalse();
  }

  @Test
  void aWriterThatWasNotClosedIsLeftBehindUntilTheMasterHasConfirmedItsVolume() throws Exception {
    VolumeSpec spec = DISK.spec();
    assertThat(one.leftBehind(spec)).as("nobody has mounted it").isEmpty();
    WriterLease lease = one.acquireWriter(spec, claim("alice", false), () -> {});
    assertThat(two.leftBehind(spec)).as("it has a writer").isEmpty();
    one.close(); // its session ends, and its reader's record stays
    assertThat(two.leftBehind(spec)).contains(lease.record());

    WriterLease masters = two.acquireWriter(spec, WriterClaim.withoutUser("master"), () -> {});
    assertThat(masters.giveBack()).isTrue();
    assertThat(two.leftBehind(spec)).as("not confirmed").contains(masters.record());
    two.reports()
        .confirmed(
            spec.name(), new ConfirmedRecord(spec.id(), masters.mountEpoch(), 1000, true, 7, 9));
    assertThat(two.leftBehind(spec)).isEmpty();
    assertThat(two.reports().confirmed(spec).orElseThrow().wentBackBy()).isEqualTo(2);
    assertThat(two.readers(spec.name(), claim("bob", false)))
        .as("both records stay, for the writer may come back")
        .extracting(Reader::withoutUser)
        .containsExactly(false, true);
  }

  @Test
  void aStrayNodeAmongTheReadersIsIgnored() throws Exception {
    VolumeSpec spec = DISK.spec();
    WriterLease lease = one.acquireWriter(spec, claim("alice", false), () -> {});
    for (String stray : List.of("notes", "0007", "99999999999999999999")) {
      one.ensure("/volumes/" + spec.name() + "/readers/" + stray);
    }
    one.close();
    assertThat(two.leftBehind(spec)).contains(lease.record());
    assertThat(two.readers(spec.name(), claim("bob", false)))
        .extracting(Reader::mountEpoch)
        .containsExactly(lease.mountEpoch());
  }

  @Test
  void anybodyElseEndsTheLeaseOfTheMaster() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    WriterLease masters =
        one.acquireWriter(DISK.spec(), WriterClaim.withoutUser("master"), lost::countDown);
    assertThatThrownBy(
            () -> two.acquireWriter(DISK.spec(), WriterClaim.withoutUser("other"), () -> {}))
        .isInstanceOf(ClusterStoreException.Busy.class);
    WriterLease users = two.acquireWriter(DISK.spec(), claim("alice", false), () -> {});
    assertThat(users.mountEpoch()).isEqualTo(masters.mountEpoch() + 1);
    assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
    users.giveBack();
    one.acquireWriter(DISK.spec(), WriterClaim.withoutUser("master"), () -> {});
    two.beginDelete(DISK.spec().name(), false);
  }

  private static WriterClaim used(WriterClaim claim, WriterLease lease) {
    return claim.again(claim.force(), lease.mountEpoch());
  }

  @Test
  void claimWhoseAnswerWasLostIsRecognisedByItsId() throws Exception {
    WriterClaim claim = claim("alice", false);
    WriterLease unanswered = one.acquireWriter(DISK.spec(), claim, () -> {});
    WriterLease again = one.acquireWriter(DISK.spec(), claim, () -> {});
    assertThat(again.mountEpoch()).isEqualTo(unanswered.mountEpoch());
    assertThat(confirmation(again)).isEqualTo(WriterLease.Confirmation.STANDS);
    WriterLease next = one.acquireWriter(DISK.spec(), used(claim, again), () -> {});
    assertThat(next.mountEpoch()).as("a used claim is not used again").isEqualTo(2);
    assertThat(two.readers("disk0", claim("bob", false)))
        .as("the handle's claims, in order")
        .extracting(Reader::mountEpoch, Reader::claimId)
        .containsExactly(tuple(1L, claim.id()), tuple(2L, claim.id()));
  }

  @Test
  void claimThatIsCommittedWhileItsConnectionBreaksIsRecognised() throws Exception {
    try (CuttingProxy proxy = new CuttingProxy(factory.getLocalPort());
        ClusterStore cut =
            ClusterStore.connect(
                "127.0.0.1:" + proxy.port(), Duration.ofSeconds(10), Duration.ofSeconds(4))) {
      proxy.cutAfterTransaction();
      WriterLease lease = cut.acquireWriter(DISK.spec(), claim("alice", false), () -> {});
      assertThat(proxy.cuts()).as("the answer was lost").isPositive();
      assertThat(lease.mountEpoch()).isEqualTo(1);
      assertThat(one.writer("disk0").orElseThrow().value()).isEqualTo(lease.record());
      assertThat(confirmation(lease)).isEqualTo(WriterLease.Confirmation.STANDS);
    }
  }

  @Test
  void claimThatIsGivenUpStandsNoMoreWhateverBecameOfIt() throws Exception {
    WriterClaim lost = claim("alice", false);
    try (CuttingProxy proxy = new CuttingProxy(factory.getLocalPort());
        ClusterStore cut =
            ClusterStore.connect(
                "127.0.0.1:" + proxy.port(), Duration.ofSeconds(10), Duration.ofSeconds(4))) {
      proxy.cutAfterTransaction();
      cut.acquireWriter(DISK.spec(), lost, () -> {}).leave();
      assertThat(two.writer("disk0")).as("committed, and its session lives").isPresent();
      cut.giveUpWriter("disk0", lost);
      assertThat(two.readers("disk0", claim("bob", false))).isEmpty();
      WriterLease next = two.acquireWriter(DISK.spec(), claim("bob", false), () -> {});
      cut.giveUpWriter("disk0", lost);
      assertThat(confirmation(next))
          .as("another client's claim")
          .isEqualTo(WriterLease.Confirmation.STANDS);
      assertThat(two.readers("disk0", claim("carol", false))).hasSize(1);
      next.close();
    }
    two.giveUpWriter("disk1", lost); // there is no such volume
  }

  @Test
  void confirmationsChangeTheRecordUntilTheNextClaim() throws Exception {
    WriterLease first = one.acquireWriter(DISK.spec(), claim("alice", false), () -> {});
    List<Reader> before = two.readers("disk0", claim("bob", false));
    assertThat(confirmation(first)).isEqualTo(WriterLease.Confirmation.STANDS);
    List<Reader> after = two.readers("disk0", claim("bob", false));
    assertThat(after).extracting(Reader::mountEpoch).containsExactly(1L);
    assertThat(after).isNotEqualTo(before);
    two.acquireWriter(DISK.spec(), claim("bob", true), () -> {});
    assertThat(confirmation(first)).isEqualTo(WriterLease.Confirmation.GONE);
    first.close();
    assertThat(two.readers("disk0", claim("bob", false)))
        .as("the earlier reader's record goes with its close")
        .extracting(Reader::mountEpoch)
        .containsExactly(2L);
  }

  @Test
  void writerThatWentSilentLeavesItsRecordAndAClosedOneDoesNot() throws Exception {
    one.acquireWriter(DISK.spec(), claim("alice", false), () -> {}).close();
    assertThat(two.readers("disk0", claim("bob", false))).isEmpty();
    WriterClaim silent = claim("alice", false);
    one.acquireWriter(DISK.spec(), silent, () -> {});
    one.close();
    WriterLease next = two.acquireWriter(DISK.spec(), claim("bob", false), () -> {});
    assertThat(two.readers("disk0", claim("bob", false)))
        .extracting(Reader::mountEpoch, Reader::claimId, Reader::ended)
        .containsExactly(tuple(2L, silent.id(), false), tuple(3L, next.record().claimId(), false));
    two.forgetReaders("disk0", List.of(2L, 9L));
    assertThat(two.readers("disk0", claim("bob", false)))
        .extracting(Reader::mountEpoch)
        .containsExactly(3L);
    next.close();
    two.beginDelete("disk0", false);
    two.finishDelete("disk0");
    assertThat(two.volumes()).isEmpty();
  }

  @Test
  void restoredVolumeMakesItsNextWriterWait() throws Exception {
    one.restoreVolume(new VolumeSpec("back", 9, 4096, 1000, 1, false, 1 << 27), 30);
    assertThat(two.readers("back", claim("bob", false)))
        .extracting(Reader::mountEpoch)
        .containsExactly(30L);
  }

  private static WriterLease.Confirmation confirmation(WriterLease lease) throws Exception {
    BlockingQueue<WriterLease.Confirmation> told = new LinkedBlockingQueue<>();
    lease.confirm(told::add);
    return told.poll(20, TimeUnit.SECONDS);
  }

  private static WriterClaim claim(String holder, boolean force) {
    return new WriterClaim(holder, "", force);
  }

  @Test
  void expiredSessionLosesTheLeaseAndRenewsTheRegistration() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    ServerRecord record = record("a:1", new byte[0]);
    try (WriterLease lease =
            one.acquireWriter(DISK.spec(), claim("alice", false), lost::countDown);
        Watch registration = one.registerServer("a:1", record)) {
      BlockingQueue<Map<String, ServerRecord>> seen = new LinkedBlockingQueue<>();
      two.watchServers(seen::add);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).containsEntry("a:1", record);
      String path = "/salus/servers/a:1";
      long session = zookeeper.getZKDatabase().getNode(path).stat.getEphemeralOwner();
      zookeeper.closeSession(session);
      assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(lease.isHeld()).isFalse();
      DataNode renewed;
      do {
        assertThat(seen.poll(20, TimeUnit.SECONDS))
            .as("a change since the session has ended")
            .isNotNull();
        renewed = zookeeper.getZKDatabase().getNode(path);
      } while (renewed == null || renewed.stat.getEphemeralOwner() == session);
      assertThat(two.servers()).containsEntry("a:1", record);
    }
    assertThat(two.servers()).isEmpty();
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
    try (CuratorFramework raw =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + factory.getLocalPort(), new RetryOneTime(100))) {
      raw.start();
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
  void anAccusationIsThereUntilItIsDealtWith() throws Exception {
    Accusation said = new Accusation(DISK.spec().id(), 1, 3, 0, 5, Cause.WRONG_ANSWER, "what");
    AccusationRecord record = new AccusationRecord(said, said.sign(new Signer(new byte[0])));
    assertThat(two.reports().accusations()).isEmpty();
    BlockingQueue<List<String>> seen = new LinkedBlockingQueue<>();
    try (Watch watch = two.reports().watchAccusations(seen::add)) {
      assertThat(seen.poll(10, TimeUnit.SECONDS)).isEmpty();
      one.reports().accuse("my-disk", 1, record);
      one.reports().accuse("my-disk", 1, record);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).hasSize(1);
    }
    ClusterReports.Heard heard = two.reports().accusations().get(0);
    assertThat(heard.volume()).isEqualTo("my-disk");
    assertThat(heard.region()).isEqualTo(1);
    assertThat(heard.record().accusation()).isEqualTo(said);
    assertThat(heard.record().signature()).isEqualTo(record.signature());
    two.reports().dealtWith(heard);
    two.reports().dealtWith(heard);
    assertThat(one.reports().accusations()).isEmpty();
  }

  /** One bad node must not keep the master from all the others. */
  @Test
  void whatIsNoAccusationIsRemoved() throws Exception {
    Accusation said = new Accusation(DISK.spec().id(), 1, 3, 0, 5, Cause.WRONG_ANSWER, "what");
    one.reports()
        .accuse("my-disk", 1, new AccusationRecord(said, said.sign(new Signer(new byte[0]))));
    try (CuratorFramework raw =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + factory.getLocalPort(), new RetryOneTime(100))) {
      raw.start();
      byte[] right = raw.getData().forPath("/salus/accusations/1-my-disk");
      String text = new String(right, StandardCharsets.UTF_8);
      raw.create().forPath("/salus/accusations/nodash", right);
      raw.create().forPath("/salus/accusations/2-garbage", new byte[] {1, 2});
      raw.create().forPath("/salus/accusations/5-null", "null".getBytes(StandardCharsets.UTF_8));
      raw.create()
          .forPath(
              "/salus/accusations/3-unknown",
              text.replace("WRONG_ANSWER", "NO_SUCH_CAUSE").getBytes(StandardCharsets.UTF_8));
      raw.create()
          .forPath(
              "/salus/accusations/4-lacking",
              text.replace("\"what\":\"what\"", "\"what\":null").getBytes(StandardCharsets.UTF_8));
      assertThat(two.reports().accusations())
          .extracting(ClusterReports.Heard::volume)
          .containsExactly("my-disk");
      assertThat(raw.getChildren().forPath("/salus/accusations")).containsExactly("1-my-disk");
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
  void whatNoMemberHasIsNotedUntilThereIsNothingAnyMore() throws Exception {
    DamageRecord none = new DamageRecord(7, List.of());
    DamageRecord some =
        new DamageRecord(7, List.of(new DamageRecord.Damage(1, 9, 2, List.of(3L, 5L), "what")));
    one.reports().damage("my-disk", none);
    assertThat(two.reports().damage("my-disk")).isEmpty();
    one.reports().damage("my-disk", some);
    one.reports().damage("my-disk", some);
    assertThat(two.reports().damage("my-disk")).contains(some);
    one.reports().damage("my-disk", none);
    assertThat(two.reports().damage("my-disk")).isEmpty();
  }

  @Test
  void aReasonIsReadAsItWasToldUntilItIsNoMore() throws Exception {
    Reason quota = new Quota("/hbase", true, 20, 79, -1, 0).reason().orElseThrow();
    for (Reason told : List.of(Reason.SAFE_MODE, quota)) {
      one.reports().trouble(told);
      assertThat(two.reports().trouble()).contains(told);
    }
    one.reports().trouble(null);
    assertThat(two.reports().trouble()).isEmpty();
    Map<String, Reason> tables = Map.of("disk0", Reason.tableDiffers(6, 9));
    one.reports().tables(tables);
    assertThat(two.reports().tables()).isEqualTo(tables);
    one.reports().tables(Map.of());
    assertThat(two.reports().tables()).isEmpty();
  }

  @Test
  void whatIsNoReasonCountsAsNone() throws Exception {
    one.reports().trouble(Reason.SAFE_MODE);
    try (CuratorFramework raw =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + factory.getLocalPort(), new RetryOneTime(100))) {
      raw.start();
      for (String note : List.of("\"SAFE_MODE\"", "{\"kind\":\"SAFE_MODE\"}", "{}", "null", "x")) {
        raw.setData().forPath("/salus/trouble", note.getBytes(StandardCharsets.UTF_8));
        assertThat(two.reports().trouble()).as(note).isEmpty();
      }
    }
  }

  @Test
  void aServersScrubGoesOnWhereItsRecordSays() throws Exception {
    assertThat(one.reports().scrub("a:1")).isEmpty();
    ScrubRecord.Finding finding = new ScrubRecord.Finding(9, "/salus/f", true, "bad");
    ScrubRecord half =
        ScrubRecord.NONE.begin(10).checked("/salus/e", 100).found(finding).checked("/salus/f", 50);
    assertThat(half.running()).isTrue();
    one.reports().scrub("a:1", half);
    assertThat(two.reports().scrub("a:1")).contains(half);
    ScrubRecord done = half.end(12);
    one.reports().scrub("a:1", done);
    assertThat(two.reports().scrubs()).isEqualTo(Map.of("a:1", done));
    assertThat(done).isEqualTo(new ScrubRecord(1, 10, 12, "", 2, 150, 150, 1, 1, List.of(finding)));
    assertThat(done.running()).isFalse();
    assertThat(done.begin(13).running()).isTrue();
    ScrubRecord lasting =
        done.found(new ScrubRecord.Finding(14, "/salus/g", false, "bad"))
            .found(new ScrubRecord.Finding(15, "/salus/g", false, "bad"));
    assertThat(lasting.unsettled()).containsExactly("/salus/g");
    assertThat(lasting.bad()).as("one that lasts counts once").isEqualTo(2);
    assertThat(lasting.settled("/salus/g").findings()).containsExactly(finding);
    assertThat(lasting.settled("/salus/f")).isEqualTo(lasting);
  }

  @Test
  void whatIsNotRepairedIsNotForgottenForWhatIs() {
    ScrubRecord r = ScrubRecord.NONE;
    for (int i = 0; i < 30; i++) {
      r = r.found(new ScrubRecord.Finding(i, "/salus/bad-" + i, false, "bad"));
    }
    for (int i = 0; i < 30; i++) {
      r = r.found(new ScrubRecord.Finding(30 + i, "/salus/repaired-" + i, true, "bad"));
    }
    assertThat(r.unsettled()).hasSize(30);
    assertThat(r.findings())
        .as("the last ones that were repaired")
        .filteredOn(ScrubRecord.Finding::repaired)
        .hasSize(20)
        .extracting(ScrubRecord.Finding::path)
        .startsWith("/salus/repaired-10")
        .endsWith("/salus/repaired-29");
  }

  @Test
  void unreachableZooKeeperIsAOneLineFailure() {
    assertThatThrownBy(
            () ->
                ClusterStore.connect("127.0.0.1:1", Duration.ofMillis(500), Duration.ofSeconds(4)))
        .isInstanceOf(ClusterStoreException.Unreachable.class)
        .hasMessageNotContaining("\n");
  }
}
