package org.salus.host.zk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.host.zk.TwoStores.DISK;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.salus.core.VolumeSpec;

/** Volumes are made and deleted while their writers come and go, and while answers are lost. */
class VolumeDeletionTest extends OnTwoStores {
  private static final VolumeSpec SPEC = DISK.spec();

  private CuttingProxy proxy;

  /** A store whose transactions the proxy can hold or cut. */
  private ClusterStore held;

  @BeforeEach
  void connect() throws Exception {
    proxy = new CuttingProxy(stores.port());
    held =
        ClusterStore.connect(
            "127.0.0.1:" + proxy.port(), Duration.ofSeconds(10), Duration.ofSeconds(4));
  }

  @AfterEach
  void disconnect() throws Exception {
    held.close();
    proxy.close();
  }

  private static WriterClaim claim() {
    return new WriterClaim("alice", "", false);
  }

  private VolumeRecord.State state() throws ClusterStoreException {
    return one.volume(SPEC.name()).state();
  }

  @Test
  void volumeWhoseWriterGoesMeanwhileIsDeleted() throws Exception {
    WriterLease lease = one.acquireWriter(SPEC, claim(), () -> {});
    proxy.beforeTransaction(lease::giveBack);
    assertThat(held.beginDelete(SPEC.name(), true)).isEqualTo(SPEC);
    assertThat(state()).isEqualTo(VolumeRecord.State.DELETING);
  }

  @Test
  void volumeThatIsClaimedMeanwhileIsNotDeleted() throws Exception {
    proxy.beforeTransaction(() -> one.acquireWriter(SPEC, claim(), () -> {}));
    assertThatThrownBy(() -> held.beginDelete(SPEC.name(), false))
        .isInstanceOf(ClusterStoreException.Busy.class);
    assertThat(state()).isEqualTo(VolumeRecord.State.ACTIVE);
    assertThat(one.writer(SPEC.name())).isPresent();
  }

  @Test
  void volumeThatIsClaimedAndLeftMeanwhileIsDeleted() throws Exception {
    proxy.beforeTransaction(() -> one.acquireWriter(SPEC, claim(), () -> {}).giveBack());
    held.beginDelete(SPEC.name(), false);
    assertThat(state()).isEqualTo(VolumeRecord.State.DELETING);
  }

  @Test
  void volumeThatIsDeletedMeanwhileIsNotClaimed() throws Exception {
    proxy.beforeTransaction(() -> one.beginDelete(SPEC.name(), false));
    assertThatThrownBy(() -> held.acquireWriter(SPEC, claim(), () -> {}))
        .isInstanceOf(ClusterStoreException.Missing.class);
    assertThat(one.writer(SPEC.name())).isEmpty();
    assertThat(state()).isEqualTo(VolumeRecord.State.DELETING);
  }

  @Test
  void deletionWhoseAnswerIsLostIsBegun() throws Exception {
    proxy.cutAfterTransaction();
    assertThat(held.beginDelete(SPEC.name(), false)).isEqualTo(SPEC);
    assertThat(proxy.cuts()).as("the answer was lost").isPositive();
    assertThat(state()).isEqualTo(VolumeRecord.State.DELETING);
  }

  @Test
  void volumeWhoseAnswerIsLostIsMadeAndAnotherOneOfItsNameIsNot() throws Exception {
    VolumeSpec spec = new VolumeSpec("new", 77, 4096, 10, 1, false, 1 << 27);
    VolumeSpec other = new VolumeSpec("new", 78, 4096, 10, 1, false, 1 << 27);
    proxy.cutAfterTransaction();
    held.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
    assertThat(proxy.cuts()).as("the answer was lost").isPositive();
    assertThat(one.volume("new").spec()).isEqualTo(spec);
    assertThatThrownBy(() -> held.createVolume(new VolumeRecord(other, VolumeRecord.State.ACTIVE)))
        .isInstanceOf(ClusterStoreException.Exists.class);
  }

  @Test
  void anotherVolumeOfItsNameIsNotTheVolume() throws Exception {
    assertThat(one.isThere(SPEC)).isTrue();
    one.beginDelete(SPEC.name(), false);
    assertThat(one.isThere(SPEC)).isTrue();
    one.finishDelete(SPEC.name());
    assertThat(one.isThere(SPEC)).isFalse();
    VolumeSpec next = new VolumeSpec(SPEC.name(), 78, 4096, 10, 1, false, 1 << 27);
    one.createVolume(new VolumeRecord(next, VolumeRecord.State.ACTIVE));
    assertThat(one.isThere(SPEC)).isFalse();
    assertThat(one.isThere(next)).isTrue();
  }
}
