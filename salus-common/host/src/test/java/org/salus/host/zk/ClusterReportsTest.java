package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.host.zk.TwoStores.DISK;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.salus.core.Quota;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;

class ClusterReportsTest extends OnTwoStores {
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

  private static LossRecord.Loss loss(long mountEpoch, long prefix, long acked) {
    return loss(mountEpoch, prefix, acked, false);
  }

  private static LossRecord.Loss ofSession(long mountEpoch, long prefix, long acked) {
    return loss(mountEpoch, prefix, acked, true);
  }

  private static LossRecord.Loss loss(long mountEpoch, long prefix, long acked, boolean served) {
    return new LossRecord.Loss(
        1000 + mountEpoch, "user" + mountEpoch, mountEpoch, prefix, acked, served, 0);
  }

  /** This finding, as it stands once it is noted after a mount that has served. */
  private static LossRecord.Loss after(long mount, LossRecord.Loss x) {
    return new LossRecord.Loss(
        x.at(), x.holder(), x.mountEpoch(), x.prefix(), x.acked(), x.served(), mount);
  }

  /** This finding, once it has taken in those of later mounts. */
  private static LossRecord.Loss upTo(long last, LossRecord.Loss x) {
    return new LossRecord.Loss(
        x.at(), x.holder(), x.mountEpoch(), x.prefix(), x.acked(), x.served(), x.after(), last);
  }

  private void confirmed(long mountEpoch) throws ClusterStoreException {
    confirmed(mountEpoch, mountEpoch);
  }

  private void confirmed(long mountEpoch, long byUser) throws ClusterStoreException {
    one.reports()
        .confirmed(DISK.spec(), new ConfirmedRecord(DISK.spec().id(), mountEpoch, 0, 0, 0, byUser));
  }

  @Test
  void lastMountThatFoundTheVolumeWholeIsTheNewest() throws Exception {
    confirmed(3);
    confirmed(5, 0); // the master's
    assertThat(two.reports().confirmed(DISK.spec()).orElseThrow())
        .isEqualTo(new ConfirmedRecord(DISK.spec().id(), 5, 0, 0, 0, 3L));
    confirmed(4); // its word comes late
    assertThat(two.reports().confirmed(DISK.spec()).orElseThrow())
        .isEqualTo(new ConfirmedRecord(DISK.spec().id(), 5, 0, 0, 0, 4L));
  }

  @Test
  void lateWordOfADeletedVolumeLeavesThatOfTheNextOneOfItsName() throws Exception {
    confirmed(3);
    VolumeSpec deleted = deleted();
    one.reports().confirmed(deleted, new ConfirmedRecord(deleted.id(), 9, 0, 0, 0, 9L));
    assertThat(two.reports().confirmed(DISK.spec()).orElseThrow().mountEpoch()).isEqualTo(3);
  }

  private static VolumeSpec deleted() {
    VolumeSpec spec = DISK.spec();
    return new VolumeSpec(
        spec.name(),
        spec.id() + 1,
        spec.blockSize(),
        spec.blockCount(),
        spec.regionCount(),
        spec.synced(),
        spec.segmentBytes(),
        spec.strict());
  }

  /** Older clients write no {@code byUser}, {@code after} and {@code accepted}. */
  @Test
  void recordsOfOlderClientsAreRead() throws Exception {
    long id = DISK.spec().id();
    try (CuratorFramework raw = stores.raw()) {
      write(
          raw,
          "/salus/confirmed/" + DISK.spec().name(),
          "{\"volume\":" + id + ",\"mountEpoch\":4,\"at\":7,\"prefix\":0,\"acked\":0}");
      write(
          raw,
          "/salus/losses/" + DISK.spec().name(),
          "{\"volume\":"
              + id
              + ",\"losses\":[{\"at\":1001,\"holder\":\"user1\",\"mountEpoch\":1,\"prefix\":40,"
              + "\"acked\":50,\"served\":false,\"unknown\":1}]}");
    }
    assertThat(one.reports().confirmed(DISK.spec()))
        .contains(new ConfirmedRecord(id, 4, 7, 0, 0, 4L));
    assertThat(one.reports().losses(DISK.spec())).containsExactly(loss(1, 40, 50));
    one.reports().lost(DISK.spec(), loss(5, 40, 45));
    assertThat(one.reports().losses(DISK.spec()))
        .containsExactly(loss(1, 40, 50), after(4, loss(5, 40, 45)));
  }

  private static void write(CuratorFramework raw, String path, String json) throws Exception {
    raw.create()
        .orSetData()
        .creatingParentsIfNeeded()
        .forPath(path, json.getBytes(StandardCharsets.UTF_8));
  }

  /** The first note took effect, and only its answer was lost. */
  @Test
  void noteThatIsWrittenAgainAfterItWasAcceptedDoesNotComeBack() throws Exception {
    confirmed(3);
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    assertThat(acceptAll()).isEmpty();
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    assertThat(two.reports().losses(DISK.spec())).isEmpty();
    one.reports().lost(DISK.spec(), loss(4, 43, 52)); // more than was accepted
    assertThat(two.reports().losses(DISK.spec())).containsExactly(after(3, loss(4, 43, 52)));
  }

  /** Another client has written and lost since, and the note of the first one comes late. */
  @Test
  void lateNoteOfASessionDoesNotGoInTheFindingOfAnotherLoss() throws Exception {
    confirmed(3);
    confirmed(4);
    one.reports().lost(DISK.spec(), loss(5, 45, 60));
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    assertThat(two.reports().losses(DISK.spec()))
        .containsExactly(after(4, loss(5, 45, 60)), after(4, ofSession(3, 40, 50)));
  }

  @Test
  void lossesAreThereUntilTheyAreAccepted() throws Exception {
    assertThat(two.reports().losses(DISK.spec())).isEmpty();
    one.reports().lost(DISK.spec(), loss(1, 40, 50));
    one.reports().lost(DISK.spec(), loss(2, 40, 45)); // another mount finds the same
    one.reports().lost(DISK.spec(), loss(3, 90, 91));
    one.reports().lost(DISK.spec(), loss(4, 90, 95));
    assertThat(two.reports().losses(DISK.spec()))
        .containsExactly(upTo(2, loss(1, 40, 50)), upTo(4, loss(3, 90, 95)));
    List<LossRecord.Loss> seen = two.reports().losses(DISK.spec());
    one.reports().lost(DISK.spec(), loss(3, 90, 97));
    assertThat(two.reports().acceptLosses(DISK.spec(), seen))
        .as("worse than what was seen")
        .containsExactly(upTo(4, loss(3, 90, 97)))
        .isEqualTo(one.reports().losses(DISK.spec()));
    assertThat(acceptAll()).isEmpty();
    assertThat(one.reports().losses(DISK.spec())).isEmpty();
    assertThat(two.reports().acceptLosses(DISK.spec(), seen)).as("said again").isEmpty();
  }

  private List<LossRecord.Loss> acceptAll() throws Exception {
    return two.reports().acceptLosses(DISK.spec(), one.reports().losses(DISK.spec()));
  }

  @Test
  void aLossAfterAMountThatFoundTheVolumeWholeIsAnotherOne() throws Exception {
    ClusterReports reports = one.reports();
    reports.lost(DISK.spec(), loss(1, 40, 50));
    confirmed(2);
    reports.lost(DISK.spec(), loss(3, 40, 45));
    assertThat(two.reports().losses(DISK.spec()))
        .containsExactly(loss(1, 40, 50), after(2, loss(3, 40, 45)));
  }

  /** The master has mounted the volume meanwhile, and the handle knows more than the logs. */
  @Test
  void whatAHandleFindsAfterAMountWithoutAUserIsTheSameLoss() throws Exception {
    ClusterReports reports = one.reports();
    reports.lost(DISK.spec(), loss(1, 40, 45));
    confirmed(1, 0);
    reports.lost(DISK.spec(), loss(1, 40, 45));
    reports.lost(DISK.spec(), loss(2, 40, 50));
    assertThat(two.reports().losses(DISK.spec())).containsExactly(upTo(2, loss(1, 40, 50)));
  }

  @Test
  void theMountAfterASessionThatLostItsOwnChangesFindsTheSameLoss() throws Exception {
    confirmed(3);
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50)); // the first answer was lost
    assertThat(two.reports().losses(DISK.spec())).containsExactly(after(3, ofSession(3, 40, 50)));
    one.reports().lost(DISK.spec(), loss(4, 43, 48));
    assertThat(two.reports().losses(DISK.spec())).containsExactly(after(3, loss(4, 43, 50)));
    confirmed(4);
    one.reports().lost(DISK.spec(), loss(5, 46, 49));
    assertThat(two.reports().losses(DISK.spec()))
        .as("another power cut, after that mount has served")
        .containsExactly(after(3, loss(4, 43, 50)), after(4, loss(5, 46, 49)));
  }

  @Test
  void theNoteOfASessionMayComeAfterThatOfTheNextMount() throws Exception {
    one.reports().lost(DISK.spec(), loss(4, 43, 48));
    confirmed(4);
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    assertThat(two.reports().losses(DISK.spec())).containsExactly(after(3, loss(4, 43, 50)));
  }

  @Test
  void whatASessionLosesIsAnotherLossThanThoseBeforeItAndAfterTheNextMount() throws Exception {
    one.reports().lost(DISK.spec(), loss(3, 40, 50));
    confirmed(3);
    one.reports().lost(DISK.spec(), ofSession(3, 40, 44)); // it has served since
    confirmed(4);
    one.reports().lost(DISK.spec(), loss(5, 42, 46)); // so has mount 4
    one.reports().lost(DISK.spec(), ofSession(6, 43, 47));
    assertThat(two.reports().losses(DISK.spec()))
        .containsExactly(
            loss(3, 40, 50),
            after(3, ofSession(3, 40, 44)),
            after(4, loss(5, 42, 46)),
            after(4, ofSession(6, 43, 47)));
  }

  @Test
  void aLossThatTheNextMountFindsElsewhereIsAnotherOne() throws Exception {
    one.reports().lost(DISK.spec(), ofSession(3, 40, 50));
    one.reports().lost(DISK.spec(), loss(4, 50, 52));
    assertThat(two.reports().losses(DISK.spec()))
        .containsExactly(ofSession(3, 40, 50), after(3, loss(4, 50, 52)));
  }

  @Test
  void lossesThatManyFindAtOnceAreAllNoted() throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ClusterReports reports = (i % 2 == 0 ? one : two).reports();
      int mount = i;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  reports.lost(DISK.spec(), loss(mount, 100L * mount, 100L * mount + 1));
                } catch (ClusterStoreException failed) {
                  throw new CompletionException(failed);
                }
              }));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
    assertThat(two.reports().losses(DISK.spec())).hasSize(8);
  }

  @Test
  void lossesAreBoundedAndTheLastStandsForSeveral() throws Exception {
    for (int i = 0; i < 3 * LossRecord.MOST; i++) {
      one.reports().lost(DISK.spec(), loss(i, 100L * i, 100L * i + 1));
    }
    assertThat(one.reports().losses(DISK.spec()))
        .hasSize(LossRecord.MOST)
        .startsWith(loss(0, 0, 1))
        .endsWith(loss(47, 1500, 4701));
  }

  /** A client goes on trying to note what a volume has lost, also once that is deleted. */
  @Test
  void lateNoteOfADeletedVolumeLeavesTheNotesOfTheNextOneOfItsName() throws Exception {
    VolumeSpec spec = DISK.spec();
    VolumeSpec deleted = deleted();
    one.reports().lost(deleted, loss(1, 10, 20));
    assertThat(one.reports().losses(deleted)).isEmpty();
    one.reports().lost(spec, loss(2, 40, 50));
    one.reports().lost(deleted, loss(1, 10, 20));
    assertThat(one.reports().losses(spec)).containsExactly(loss(2, 40, 50));
  }

  @Test
  void lossesOfAnEarlierVolumeOfTheNameAndJunkAreNone() throws Exception {
    VolumeSpec spec = DISK.spec();
    String earlier =
        new String(
            ClusterNodes.json(new LossRecord(spec.id() + 1, List.of(loss(1, 40, 50)), List.of())),
            StandardCharsets.UTF_8);
    for (String junk : List.of(earlier, "{", "null", "{\"volume\":9}")) {
      try (CuratorFramework raw = stores.raw()) {
        raw.create()
            .orSetData()
            .creatingParentsIfNeeded()
            .forPath("/salus/losses/" + spec.name(), junk.getBytes(StandardCharsets.UTF_8));
      }
      assertThat(one.reports().losses(spec)).as(junk).isEmpty();
    }
    one.reports().lost(spec, loss(2, 40, 50));
    assertThat(one.reports().losses(spec)).containsExactly(loss(2, 40, 50));
  }

  /** One bad node must not keep the master from all the others. */
  @Test
  void whatIsNoAccusationIsRemoved() throws Exception {
    Accusation said = new Accusation(DISK.spec().id(), 1, 3, 0, 5, Cause.WRONG_ANSWER, "what");
    one.reports()
        .accuse("my-disk", 1, new AccusationRecord(said, said.sign(new Signer(new byte[0]))));
    try (CuratorFramework raw = stores.raw()) {
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
    try (CuratorFramework raw = stores.raw()) {
      for (String note : List.of("\"SAFE_MODE\"", "{\"kind\":\"SAFE_MODE\"}", "{}", "null", "x")) {
        raw.setData().forPath("/salus/trouble", note.getBytes(StandardCharsets.UTF_8));
        assertThat(two.reports().trouble()).as(note).isEmpty();
      }
    }
  }

  private static WaitsRecord.Waits waits(int region, long oldest) {
    return new WaitsRecord.Waits(
        "disk", region, 3, WaitsRecord.Cause.CHAIN, List.of("b:1"), 2, oldest, 7, 99);
  }

  @Test
  void waitsAtAServersMembersAreNotedUntilNothingWaits() throws Exception {
    assertThat(two.reports().waits()).isEmpty();
    WaitsRecord some = new WaitsRecord(List.of(waits(0, 10), waits(1, 30), waits(2, 20)));
    WaitsRecord other = new WaitsRecord(List.of(waits(0, 5)));
    one.reports().waits("a:1", other);
    one.reports().waits("a:1", some);
    two.reports().waits("b:1", other);
    assertThat(two.reports().waits())
        .hasSize(2)
        .hasEntrySatisfying("a:1", n -> assertThat(n.record()).isEqualTo(some))
        .hasEntrySatisfying("b:1", n -> assertThat(n.record()).isEqualTo(other));
    two.reports().waits("b:1", new WaitsRecord(List.of()));
    assertThat(some.waits()).extracting(WaitsRecord.Waits::region).containsExactly(1, 2, 0);
    try (CuratorFramework raw = stores.raw()) {
      assertThat(raw.checkExists().forPath("/salus/waits/a:1").getEphemeralOwner())
          .as("it goes with its server")
          .isNotZero();
      for (String note :
          List.of(
              "{}",
              "null",
              "x",
              "{\"members\":[{\"volume\":\"disk\",\"region\":0,\"reads\":2,\"batches\":1}]}",
              "{\"at\":5,\"waits\":[null]}",
              "{\"at\":5,\"waits\":[{\"volume\":\"disk\",\"cause\":\"CHAIN\"}]}",
              "{\"at\":5,\"waits\":[{\"volume\":\"disk\",\"cause\":\"x\",\"awaited\":[]}]}")) {
        raw.setData().forPath("/salus/waits/a:1", note.getBytes(StandardCharsets.UTF_8));
        assertThat(two.reports().waits()).as(note).isEmpty();
      }
    }
    one.reports().waits("a:1", new WaitsRecord(List.of()));
    one.reports().waits("a:1", new WaitsRecord(List.of()));
    assertThat(two.reports().waits()).isEmpty();
  }

  /** Servers' own clocks may differ by hours, which says nothing of whether they hang. */
  @Test
  void theAgeOfANoteIsToldByZooKeepersClock() throws Exception {
    one.reports().waits("a:1", new WaitsRecord(List.of(waits(0, 5))));
    try (CuratorFramework raw = stores.raw()) {
      assertThat(new String(raw.getData().forPath("/salus/waits/a:1"), StandardCharsets.UTF_8))
          .startsWith("{\"waits\":[");
    }
    long before = System.nanoTime();
    long age = 0;
    while (age < 20) {
      age = two.reports().waits().get("a:1").ageMillis();
    }
    one.reports().waits("b:1", new WaitsRecord(List.of(waits(0, 5))));
    long younger = two.reports().waits().get("b:1").ageMillis();
    long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
    assertThat(younger).isBetween(0L, passed);
    assertThat(two.reports().waits().get("a:1").ageMillis()).isGreaterThanOrEqualTo(age);
    try (CuratorFramework raw = stores.raw()) {
      raw.setACL().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/salus/clock");
    }
    assertThat(two.reports().waits().get("a:1"))
        .as("a reader need not write")
        .satisfies(n -> assertThat(n.ageMillis()).isEqualTo(-1))
        .satisfies(n -> assertThat(n.record().waits()).containsExactly(waits(0, 5)));
  }

  @Test
  void aNoteOfWaitsIsBounded() {
    WaitsRecord all = new WaitsRecord(IntStream.range(0, 5000).mapToObj(i -> waits(i, i)).toList());
    assertThat(all.waits()).hasSize(WaitsRecord.MOST);
    assertThat(all.waits().get(0)).isEqualTo(waits(4999, 4999));
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
}
