package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;
import static org.salus.client.MemoryClient.reason;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.salus.host.zk.ClusterStoreException;

/** What becomes of the lease and of the requests of a volume that is closed or abandoned. */
class VolumeCloseTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void abandonedVolumeGivesItsLeaseBack() throws Exception {
    MemoryClient c = MemoryClient.opened();
    CompletableFuture<Void> over = c.volume.abandon();
    CompletableFuture<Void> late = c.beginRead(5);
    c.loop.settle();
    assertThat(over).isCompleted();
    assertThat(failure(late)).isInstanceOf(SalusException.Closed.class);
    assertThat(c.store.writer()).isZero();
  }

  @Test
  void volumeThatIsAbandonedBetweenMountsIsNotMountedAgain() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    c.store.loseSession();
    c.loop.settle();
    CompletableFuture<Void> over = c.volume.abandon();
    c.loop.settle();
    assertThat(over).isCompleted();
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).isEqualTo(2);
  }

  /** ZooKeeper is away: nothing that blocks ends. */
  @Test
  void requestsOfAnAbandonedVolumeFailBeforeItsLeaseIsGivenBack() throws Exception {
    MemoryClient mounted = MemoryClient.opened();
    mounted.members.silent = true;
    CompletableFuture<Void> sent = mounted.volume.write(0, ByteBuffer.allocate(4096));
    CompletableFuture<Void> behind = mounted.write(5000, 1);
    mounted.host.abandon();
    assertThat(reason(sent)).isInstanceOf(SalusException.Closed.class);
    assertThat(reason(behind)).isInstanceOf(SalusException.Closed.class);
    assertThat(mounted.volume.isOver()).isFalse();

    MemoryClient between = MemoryClient.opened();
    between.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    between.store.loseSession();
    between.loop.settle();
    CompletableFuture<Void> read = between.beginRead(5);
    assertThat(read).isNotDone();
    between.host.abandon();
    assertThat(failure(read)).isInstanceOf(SalusException.Closed.class);
  }

  @Test
  void volumeThatIsClosedWhileItsMountIsLateIsNotTriedAgain() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    c.store.loseSession();
    c.loop.settle();
    c.volume.close();
    c.loop.settle();
    assertThat(c.requests.over()).isCompleted();
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).as("none after the close").isEqualTo(2);
    assertThat(failure(c.beginRead(5))).isInstanceOf(SalusException.Closed.class);
  }

  @Test
  void claimWhoseAnswerIsLostAtTheCloseIsGivenUpWhenZooKeeperAnswersAgain() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
    c.store.loseAnswer = true;
    c.store.away = true;
    c.loop.settle();
    assertThat(c.store.writer()).as("committed").isEqualTo(2);
    c.volume.close();
    c.loop.advance(Duration.ofMinutes(2));
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.writer()).as("nobody answers").isEqualTo(2);
    c.store.away = false;
    c.loop.advance(Duration.ofMinutes(1));
    assertThat(c.store.writer()).isZero();
    assertThat(c.store.readers).isEmpty();
  }

  @Test
  void leaseThatCannotBeGivenBackAtTheCloseIsGivenUpLater() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.away = true;
    c.volume.close();
    c.loop.advance(SECOND);
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.writer()).isEqualTo(1);
    c.store.away = false;
    c.loop.advance(Duration.ofMinutes(1));
    assertThat(c.store.writer()).isZero();
  }

  @Test
  void claimOfAnOpenThatFailsIsGivenUp() throws Exception {
    MemoryClient c = new MemoryClient();
    c.store.loseAnswer = true;
    assertThatThrownBy(() -> c.host.acquire(false))
        .isInstanceOf(ClusterStoreException.Unreachable.class);
    assertThat(c.store.writer()).as("committed").isEqualTo(1);
    c.loop.advance(SECOND);
    assertThat(c.store.writer()).isZero();
    assertThat(failure(c.host.opened())).isInstanceOf(SalusException.Closed.class);
  }

  @Test
  void volumeThatIsClosedDuringAClaimIsOverWhenTheClaimIsGivenBack() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.loseSession();
    c.store.forgetSession();
    c.host.close(); // before the next claim is answered
    c.requests.close();
    assertThat(c.requests.over()).isNotDone();
    c.loop.settle();
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.volume.isDone()).isTrue();
    assertThat(c.store.writer()).isZero();
    assertThat(c.store.readers).isEmpty();
  }

  @Test
  void nextOpenOfTheClientWaitsForAHandleThatEndsAndForNoOther() throws Exception {
    MemoryClient c = MemoryClient.opened();
    OpenVolumes volumes = new OpenVolumes();
    volumes.add(c.volume, "mine");
    assertThat(free(volumes, "disk")).as("in use: the next one shall be refused").isCompleted();
    c.store.away = true;
    c.volume.close();
    c.loop.advance(SECOND);
    assertThat(c.requests.over()).as("closed, and the claim stands").isCompleted();
    CompletableFuture<Void> next = free(volumes, "disk");
    assertThat(next).isNotDone();
    assertThat(free(volumes, "other")).isCompleted();
    c.store.away = false;
    c.loop.advance(Duration.ofMinutes(1));
    assertThat(next).isCompleted();
    assertThat(c.store.writer()).isZero();
    assertThat(volumes.all()).isEmpty();
  }

  private static CompletableFuture<Void> free(OpenVolumes volumes, String name) {
    return volumes.freeOfEnded(name, Duration.ofHours(1));
  }

  @Test
  void nextOpenOfTheClientDoesNotWaitForEver() throws Exception {
    MemoryClient c = MemoryClient.opened();
    OpenVolumes volumes = new OpenVolumes();
    volumes.add(c.volume, "mine");
    c.store.away = true;
    c.volume.close();
    volumes.freeOfEnded("disk", Duration.ofMillis(1)).join();
    assertThat(c.store.writer()).isEqualTo(1);
  }

  @Test
  void volumeWithoutRequestsThatIsClosedDuringAMountIsOverAtOnce() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.members.silent = true;
    c.store.loseSession();
    c.store.forgetSession();
    c.loop.settle();
    assertThat(c.store.writer()).as("it is being mounted again").isEqualTo(2);
    c.volume.close();
    c.loop.settle();
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.writer()).isZero();
  }

  @Test
  void volumeWhoseSessionCouldNotStartCanBeAbandoned() throws Exception {
    MemoryClient c = new MemoryClient();
    c.members.unreachable = true;
    MountHost.Taken lease = c.host.acquire(false);
    assertThatIllegalStateException().isThrownBy(() -> c.host.mount(lease));
    CompletableFuture<Void> over = c.volume.abandon();
    c.loop.settle();
    assertThat(over).isCompleted();
    assertThat(failure(c.host.opened())).isInstanceOf(SalusException.Closed.class);
  }
}
