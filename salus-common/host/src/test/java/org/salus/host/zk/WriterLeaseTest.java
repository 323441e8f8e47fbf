package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.salus.host.zk.TwoStores.DISK;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.DataNode;
import org.junit.jupiter.api.Test;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.KeptMount;
import org.salus.core.mount.Reader;
import org.salus.core.session.Acknowledgements;

class WriterLeaseTest extends OnTwoStores {
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
        new WriterRecord(
            "bridge", alive.since(), 1, alive.service(), Long.MAX_VALUE, "", false, 0, "");
    assertThat(bridge.putsOut(ended)).isTrue();
    assertThat(
            bridge.putsOut(
                new WriterRecord("bridge", 0, 1, alive.service(), alive.pid(), "", false, 0, "")))
        .as("an earlier process of the same id")
        .isTrue();
    assertThat(new WriterClaim("bridge", "nbd on host:10810", false).putsOut(ended)).isFalse();
    assertThat(
            claim("alice", false)
                .putsOut(new WriterRecord("bob", 0, 1, null, Long.MAX_VALUE, "", false, 0, "")))
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
        .confirmed(spec, new ConfirmedRecord(spec.id(), masters.mountEpoch(), 1000, 7, 9, 0L));
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
      one.nodes().ensure("/volumes/" + spec.name() + "/readers/" + stray);
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

  /** The order of a user's processes is kept where their claims are. */
  @Test
  void laterProcessOfAUserTakesOverFromAnEarlierOneAndNotTheOtherWayRound() throws Exception {
    WriterClaim earlier = ofUser(1, "a");
    WriterClaim later = ofUser(2, "b", new Claimant("user", 1, "a"));
    WriterClaim copy = ofUser(2, "c", new Claimant("user", 1, "a"));
    CountDownLatch lost = new CountDownLatch(1);
    one.acquireWriter(DISK.spec(), earlier, lost::countDown);
    WriterLease stands = two.acquireWriter(DISK.spec(), later, () -> {});
    assertThat(stands.mountEpoch()).isEqualTo(2);
    assertThat(lost.await(10, TimeUnit.SECONDS)).isTrue();
    for (WriterClaim refused : List.of(earlier, copy)) {
      assertThatThrownBy(() -> one.acquireWriter(DISK.spec(), refused.again(false, 1), () -> {}))
          .isInstanceOfSatisfying(
              ClusterStoreException.Busy.class,
              busy -> assertThat(busy.writer().claimant()).isEqualTo(later.claimant()));
      one.giveUpWriter("disk0", refused, Long.MAX_VALUE);
    }
    assertThat(confirmation(stands)).isEqualTo(WriterLease.Confirmation.STANDS);
    assertThat(two.readers("disk0", later))
        .as("the earlier process has given up its record; while it was there, it might read")
        .extracting(Reader::mountEpoch, Reader::claimant)
        .containsExactly(tuple(2L, later.claimant()));
  }

  private static WriterClaim ofUser(long generation, String process, Claimant... before) {
    Claimant by = new Claimant("user", generation, process);
    return claim("bridge", false)
        .by(new KeptMount(by, List.of(before), 1, 0, 0, Acknowledgements.NONE));
  }

  @Test
  void earlierProcessOfAUserIsNotKnownToHaveEnded() {
    WriterClaim earlier = ofUser(1, "a");
    WriterClaim later = ofUser(2, "b", new Claimant("user", 1, "a"));
    assertThat(later.putsOut(earlier.record(1))).isTrue();
    assertThat(later.knowsAsEnded(earlier.record(1))).as("it may read").isFalse();
    assertThat(later.knowsAsEnded(later.record(1))).isTrue();
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
        .extracting(Reader::mountEpoch, Reader::claimant)
        .containsExactly(tuple(1L, claim.claimant()), tuple(2L, claim.claimant()));
  }

  @Test
  void claimThatIsCommittedWhileItsConnectionBreaksIsRecognised() throws Exception {
    try (CuttingProxy proxy = new CuttingProxy(stores.port());
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
    try (CuttingProxy proxy = new CuttingProxy(stores.port());
        ClusterStore cut =
            ClusterStore.connect(
                "127.0.0.1:" + proxy.port(), Duration.ofSeconds(10), Duration.ofSeconds(4))) {
      proxy.cutAfterTransaction();
      cut.acquireWriter(DISK.spec(), lost, () -> {}).leave();
      assertThat(two.writer("disk0")).as("committed, and its session lives").isPresent();
      cut.giveUpWriter("disk0", lost, Long.MAX_VALUE);
      assertThat(two.readers("disk0", claim("bob", false))).isEmpty();
      WriterLease next = two.acquireWriter(DISK.spec(), claim("bob", false), () -> {});
      cut.giveUpWriter("disk0", lost, Long.MAX_VALUE);
      assertThat(confirmation(next))
          .as("another client's claim")
          .isEqualTo(WriterLease.Confirmation.STANDS);
      assertThat(two.readers("disk0", claim("carol", false))).hasSize(1);
      next.close();
    }
    two.giveUpWriter("disk1", lost, Long.MAX_VALUE); // there is no such volume
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
        .extracting(Reader::mountEpoch, Reader::claimant, Reader::ended)
        .containsExactly(
            tuple(2L, silent.claimant(), false), tuple(3L, next.record().claimant(), false));
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

  @Test
  void expiredSessionLosesTheLeaseAndRenewsTheRegistration() throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    ServerRecord record = TwoStores.server("a:1", new byte[0]);
    try (WriterLease lease =
            one.acquireWriter(DISK.spec(), claim("alice", false), lost::countDown);
        Watch registration = one.registerServer("a:1", record, new byte[0])) {
      BlockingQueue<Map<String, ServerRecord>> seen = new LinkedBlockingQueue<>();
      two.watchServers(seen::add);
      assertThat(seen.poll(10, TimeUnit.SECONDS)).containsEntry("a:1", record);
      String path = "/salus/servers/a:1";
      long session = stores.server().getZKDatabase().getNode(path).stat.getEphemeralOwner();
      stores.server().closeSession(session);
      assertThat(lost.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(lease.isHeld()).isFalse();
      DataNode renewed;
      do {
        assertThat(seen.poll(20, TimeUnit.SECONDS))
            .as("a change since the session has ended")
            .isNotNull();
        renewed = stores.server().getZKDatabase().getNode(path);
      } while (renewed == null || renewed.stat.getEphemeralOwner() == session);
      assertThat(two.servers()).containsEntry("a:1", record);
    }
    assertThat(two.servers()).isEmpty();
  }

  private static WriterClaim used(WriterClaim claim, WriterLease lease) {
    return claim.again(claim.force(), lease.mountEpoch());
  }

  private static WriterLease.Confirmation confirmation(WriterLease lease) throws Exception {
    BlockingQueue<WriterLease.Confirmation> told = new LinkedBlockingQueue<>();
    lease.confirm(told::add);
    return told.poll(20, TimeUnit.SECONDS);
  }

  private static WriterClaim claim(String holder, boolean force) {
    return new WriterClaim(holder, "", force);
  }
}
