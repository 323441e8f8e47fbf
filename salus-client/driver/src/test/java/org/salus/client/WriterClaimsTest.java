package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.salus.core.mount.Claimant;
import org.salus.core.mount.Reader;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterLease.Confirmation;

/**
 * When a session may serve that has claimed its volume, and what becomes of claims without an
 * answer.
 */
class WriterClaimsTest {

  @Test
  void ownNodeOfALostZooKeeperSessionIsWaitedFor() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.loseSession();
    c.loop.settle();
    assertThat(c.store.writer()).as("still there").isEqualTo(1);
    CompletableFuture<Void> read = c.beginRead(5);
    assertThat(read).isNotDone();
    c.store.forgetSession();
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(read).isCompleted();
    assertThat(c.store.writer()).isEqualTo(2);
  }

  @Test
  void claimWhoseAnswerWasLostIsRecognised() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
    c.store.loseAnswer = true;
    c.loop.settle();
    assertThat(c.store.writer()).as("committed").isEqualTo(2);
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.store.writer()).as("the same claim").isEqualTo(2);
  }

  @Test
  void claimAfterWhichNobodyAnswersIsUsedByTheNextTry() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
    c.store.loseLook = true;
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.store.writer()).as("the same claim").isEqualTo(2);
  }

  @Test
  void claimThatWasGivenUpIsNoOtherWriter() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
    c.store.loseAnswer = true;
    c.loop.settle();
    c.store.forgetSession();
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.store.writer()).as("the mount after the lost one").isEqualTo(3);
    assertThat(c.read(5)).isEqualTo(1);
  }

  @Test
  void readsWaitWhileTheClaimIsNotConfirmed() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.store.confirmation = Confirmation.UNKNOWN;
    c.loop.advance(Duration.ofSeconds(11));
    CompletableFuture<Void> read = c.beginRead(5);
    assertThat(read).isNotDone();
    c.store.confirmation = Confirmation.STANDS;
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(read).isCompleted();
    assertThat(c.store.writer()).as("the same mount").isEqualTo(1);
  }

  @Test
  void claimThatIsNotConfirmedAnyMoreEndsTheSession() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.confirmation = Confirmation.GONE;
    c.store.takeOverUnnoticed();
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(failure(c.beginRead(5))).isInstanceOf(SalusException.Fenced.class);
  }

  @Test
  void changesWaitUntilAnEarlierWriterReadsNoMore() throws Exception {
    MemoryClient c = new MemoryClient();
    c.store.readers.put(0L, new Reader(0, 7, Claimant.alone("another"), false, false));
    c.open();
    assertThat(c.read(5)).as("before the first change").isZero();
    CompletableFuture<Void> write = c.volume.write(0, ByteBuffer.allocate(4096));
    c.loop.advance(Duration.ofMillis(10_100));
    assertThat(write).isNotDone();
    c.loop.advance(Duration.ofMillis(200));
    assertThat(write).isCompleted();
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(c.store.readers.keySet()).as("the earlier record is removed").containsExactly(1L);
  }

  @Test
  void readsWaitTooForAWriterThatDoesNotKnowTheLastMount() throws Exception {
    MemoryClient c = new MemoryClient();
    c.store.readers.put(-1L, new Reader(-1, 7, Claimant.alone("another"), false, false));
    c.open();
    CompletableFuture<Void> read = c.beginRead(5);
    c.loop.advance(Duration.ofMillis(10_100));
    assertThat(read).isNotDone();
    c.loop.advance(Duration.ofMillis(200));
    assertThat(read).isCompleted();
  }

  @Test
  void timeForWhichTheVolumeWasBusyCounts() throws Exception {
    MemoryClient c = new MemoryClient();
    c.store.readers.put(-1L, new Reader(-1, 7, Claimant.alone("another"), false, false));
    c.store.otherHasIt();
    assertThatThrownBy(() -> c.host.acquire(false)).isInstanceOf(ClusterStoreException.Busy.class);
    c.loop.advance(Duration.ofSeconds(12));
    c.store.forgetSession();
    c.open();
    assertThat(c.write(0, 1)).isCompleted();
  }

  @Test
  void leaseThatWasLostBeforeTheMountIsNoReasonToServe() throws Exception {
    MemoryClient c = new MemoryClient();
    MountHost.Taken lease = c.host.acquire(false);
    c.store.takeOver();
    c.loop.settle();
    c.host.mount(lease);
    c.loop.settle();
    assertThat(failure(c.host.opened())).isInstanceOf(SalusException.Unavailable.class);
    assertThat(c.members.sessions()).isEmpty();
  }
}
