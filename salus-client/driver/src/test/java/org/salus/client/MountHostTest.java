package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.salus.client.MemoryClient.failure;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.Test;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.Reader;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ConfirmedRecord;
import org.salus.host.zk.WriterLease.Confirmation;

/** Checks after which ends of a session the volume is mounted again, over members in memory. */
class MountHostTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** Lets time pass until there were this many attempts. Returns the time that it took. */
  private static Duration untilAttempts(MemoryClient c, int attempts) {
    Duration step = Duration.ofMillis(100);
    for (int i = 1; i < 1_000; i++) {
      c.loop.advance(step);
      if (c.store.attempts >= attempts) {
        return step.multipliedBy(i);
      }
    }
    throw new AssertionError("no attempt " + attempts);
  }

  @Test
  void sessionThatEndedForWantOfAnAnswerIsMountedAgain() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.members.silent = true;
    CompletableFuture<Void> lost = c.beginRead(5);
    c.loop.advance(MemoryClient.REQUEST_TIMEOUT.plusMillis(50));
    assertThat(failure(lost)).isInstanceOf(SalusException.TimedOut.class);
    c.members.silent = false;
    c.loop.advance(SECOND);
    assertThat(c.store.writer()).as("the next mount epoch").isEqualTo(2);
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.write(5, 2)).isCompleted();
  }

  @Test
  void sessionThatEndedForWantOfRoomIsMountedAgainWhenThereIsRoom() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.members.setFull(true);
    c.loop.settle();
    assertThat(failure(c.write(5, 2))).isInstanceOf(SalusException.NoSpace.class);
    c.members.setFull(false);
    c.loop.advance(Duration.ofSeconds(10));
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.write(5, 3)).isCompleted();
    assertThat(c.store.writer()).isGreaterThan(1);
  }

  @Test
  void firstWriteAfterARefusalWaitsForM0sAnswerAndDoesNotFailWhereThereIsRoom() throws Exception {
    MemoryClient c = refusedOnce();
    c.members.saysNothingOfRoom = true;
    c.loop.advance(SECOND);
    assertThat(c.store.writer()).as("mounted again").isEqualTo(2);
    loseSession(c);
    CompletableFuture<Void> write = c.write(5, 3);
    assertThat(c.store.writer()).as("mounted once more").isEqualTo(3);
    assertThat(write).isNotDone();
    c.members.saysNothingOfRoom = false;
    c.loop.advance(Duration.ofMillis(200));
    assertThat(write).isCompleted();
    assertThat(c.read(5)).isEqualTo(3);
  }

  @Test
  void firstWriteAfterARefusalFailsWhenM0LongSaysNothing() throws Exception {
    MemoryClient c = refusedOnce();
    c.members.saysNothingOfRoom = true;
    loseSession(c);
    c.loop.advance(SECOND);
    CompletableFuture<Void> write = c.write(5, 3);
    assertThat(write).as("M0 is still asked").isNotDone();
    c.loop.advance(SECOND);
    assertThat(failure(write)).isInstanceOf(SalusException.NoSpace.class);
    assertThat(failure(c.write(5, 3))).as("at once").isInstanceOf(SalusException.NoSpace.class);
  }

  /** M0 says that there is room, and it is not so. */
  @Test
  void wrongM0ThatRefusesEachWriteEndsFewSessions() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.members.refusesChanges = true;
    for (int second = 0; second < 10_000; second++) {
      assertThat(failure(c.write(5, 1))).isInstanceOf(SalusException.NoSpace.class);
      c.loop.advance(SECOND);
    }
    assertThat(c.store.writer()).as("mounts in almost three hours").isBetween(10L, 16L);
    assertThat(c.read(5)).isZero();
  }

  @Test
  void mountNotesHowFarTheVolumeWentBackUntilAMountThatDoesNot() throws Exception {
    MemoryClient c = new MemoryClient();
    c.members.lost = 3;
    c.open();
    assertThat(c.store.confirmed.mountEpoch()).isEqualTo(1);
    assertThat(c.store.confirmed.wentBackBy()).isEqualTo(3);
    c.members.lost = 0;
    loseSession(c);
    assertThat(c.store.confirmed.mountEpoch()).isEqualTo(2);
    assertThat(c.store.confirmed.wentBackBy()).isZero();
  }

  @Test
  void userIsWarnedOfALossThatOnlyTheMasterHasLogged() throws Exception {
    List<String> warnings = warningsOfOpen(new ConfirmedRecord(9, 1, 0, true, 40, 42), false);
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains("1970-01-01T00:00:00Z", "2 changes lost", "PUT 40 of 42");
  }

  @Test
  void userIsNotWarnedWithoutALossOrOfOneThatAUsersClientHasLogged() throws Exception {
    assertThat(warningsOfOpen(null, false)).isEmpty();
    assertThat(warningsOfOpen(new ConfirmedRecord(9, 1, 0, true, 0, 0), false)).isEmpty();
    assertThat(warningsOfOpen(new ConfirmedRecord(9, 1, 0, false, 40, 42), false)).isEmpty();
  }

  @Test
  void masterDoesNotWarnItself() throws Exception {
    assertThat(warningsOfOpen(new ConfirmedRecord(9, 1, 0, true, 40, 42), true)).isEmpty();
  }

  /** What a client logs when it opens a volume that was last confirmed like this. */
  private static List<String> warningsOfOpen(ConfirmedRecord last, boolean withoutUser)
      throws Exception {
    MemoryClient c =
        new MemoryClient(withoutUser ? MountConfig.defaults().settling() : MountConfig.defaults());
    c.store.confirmed = last;
    List<String> warnings = new ArrayList<>();
    AppenderSkeleton appender =
        new AppenderSkeleton() {
          @Override
          protected void append(LoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
              warnings.add(event.getRenderedMessage());
            }
          }

          @Override
          public void close() {}

          @Override
          public boolean requiresLayout() {
            return false;
          }
        };
    Logger logger = Logger.getLogger(MountHost.class);
    logger.addAppender(appender);
    try {
      c.open();
    } finally {
      logger.removeAppender(appender);
    }
    return warnings;
  }

  private static void loseSession(MemoryClient c) {
    c.store.loseSession();
    c.store.forgetSession();
    c.loop.settle();
  }

  /** A client whose write M0 has just refused for want of room. */
  private static MemoryClient refusedOnce() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.members.refusesChanges = true;
    assertThat(failure(c.write(5, 1))).isInstanceOf(SalusException.NoSpace.class);
    c.members.refusesChanges = false;
    return c;
  }

  @Test
  void sessionThatLostItsLeaseWithZooKeepersSessionIsMountedAgain() throws Exception {
    MemoryClient c = withoutItsZooKeeperSession();
    c.loop.settle();
    assertThat(c.store.writer()).isEqualTo(2);
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.write(5, 2)).isCompleted();
  }

  @Test
  void volumeThatLacksWhatItsUserWroteEndsRatherThanGoOn() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.serversLosePower();
    CompletableFuture<Void> read = c.beginRead(5);
    c.serversComeBack();
    assertThat(failure(read))
        .isInstanceOf(SalusException.Integrity.class)
        .hasMessageContaining("acknowledged and not flushed")
        .hasMessageContaining("open it again");
    assertThat(failure(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    CompletableFuture<Void> flush = c.volume.flush();
    c.loop.settle();
    assertThat(failure(flush)).isInstanceOf(SalusException.Integrity.class);
    assertThat(c.store.writer()).as("the lease was given back").isZero();
  }

  @Test
  void volumeWhoseUserHasLostNothingGoesOnAfterAPowerCut() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.serversLosePower();
    c.serversComeBack();
    assertThat(c.write(5, 1)).isCompleted();
    assertThat(c.store.writer()).isEqualTo(2);
  }

  @Test
  void volumeGoesOnAfterALossIfItsUserAcceptsThat() throws Exception {
    MemoryClient c = new MemoryClient(true);
    c.open();
    assertThat(c.write(5, 1)).isCompleted();
    c.serversLosePower();
    c.serversComeBack();
    assertThat(c.read(5)).isZero();
    assertThat(c.write(5, 2)).isCompleted();
  }

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

  /** A client that has written 1 to block 5, and has just lost its session in ZooKeeper. */
  private static MemoryClient withoutItsZooKeeperSession() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.store.loseSession();
    c.store.forgetSession();
    return c;
  }

  @Test
  void claimWhoseAnswerWasLostIsRecognised() throws Exception {
    MemoryClient c = withoutItsZooKeeperSession();
    c.store.loseAnswer = true;
    c.loop.settle();
    assertThat(c.store.writer()).as("committed").isEqualTo(2);
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.store.writer()).as("the same claim").isEqualTo(2);
  }

  @Test
  void claimAfterWhichNobodyAnswersIsUsedByTheNextTry() throws Exception {
    MemoryClient c = withoutItsZooKeeperSession();
    c.store.loseLook = true;
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(c.read(5)).isEqualTo(1);
    assertThat(c.store.writer()).as("the same claim").isEqualTo(2);
  }

  @Test
  void claimThatWasGivenUpIsNoOtherWriter() throws Exception {
    MemoryClient c = withoutItsZooKeeperSession();
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
    c.store.readers.put(0L, new Reader(0, 7, "another", false, false));
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
    c.store.readers.put(-1L, new Reader(-1, 7, "another", false, false));
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
    c.store.readers.put(-1L, new Reader(-1, 7, "another", false, false));
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

  @Test
  void volumeIsNotMountedAgainWhileAnotherWriterHasIt() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.takeOver();
    c.loop.settle();
    assertThat(failure(c.beginRead(5))).isInstanceOf(SalusException.Fenced.class);
    c.store.otherEnds();
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).as("the first mount, and the look who has it").isEqualTo(2);
    assertThat(c.requests.over()).isCompleted();
  }

  @Test
  void changesBeforeAnotherWriterTookTheVolumeFailAsFenced() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.write(5, 1);
    c.members.silent = true;
    CompletableFuture<Void> waitsForItsEdges = c.write(5, 2);
    CompletableFuture<Void> issued = c.volume.write(8192, ByteBuffer.allocate(4096));
    c.loop.settle();
    c.store.takeOver();
    c.loop.settle();
    assertThat(failure(waitsForItsEdges)).isInstanceOf(SalusException.Fenced.class);
    assertThat(failure(issued)).isInstanceOf(SalusException.Fenced.class);
  }

  @Test
  void volumeIsNotMountedAgainAfterAnotherWriterHasComeAndGone() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.takeOver();
    c.store.otherEnds();
    c.loop.settle();
    assertThat(failure(c.beginRead(5))).isInstanceOf(SalusException.Fenced.class);
    assertThat(c.store.writer()).as("the lease was given back").isZero();
    assertThat(c.members.sessions()).isEmpty();
  }

  @Test
  void sessionThatMembersFencedClaimsTheVolumeOnceMore() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.mountAs(7, new RecordingListener());
    c.loop.settle();
    CompletableFuture<Void> write = c.write(5, 1);
    c.loop.advance(SECOND);
    assertThat(failure(write)).isInstanceOf(SalusException.Fenced.class);
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).as("the next session is fenced as well").isEqualTo(2);
    assertThat(c.store.writer()).as("the lease was given back").isZero();
  }

  @Test
  void deletedVolumeIsNotMountedAgain() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.failure = new ClusterStoreException.Missing("volume disk");
    c.store.loseSession();
    c.loop.settle();
    assertThat(failure(c.beginRead(5)))
        .isInstanceOf(SalusException.NotFound.class)
        .hasMessageContaining("does not exist");
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).isEqualTo(2);
  }

  @Test
  void pausesBetweenMountsDoubleUpToHalfAMinute() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    c.store.loseSession();
    c.loop.settle();
    List<Long> pauses = new ArrayList<>();
    for (int attempt = 3; attempt < 10; attempt++) {
      pauses.add(untilAttempts(c, attempt).toSeconds());
    }
    assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 16L, 30L, 30L);
  }

  @Test
  void requestsFailWhenAMountIsLateAndLaterOnesWait() throws Exception {
    MemoryClient c = MemoryClient.opened();
    c.store.failure = new ClusterStoreException.Unreachable("no answer", null);
    c.members.silent = true;
    CompletableFuture<Void> write = c.write(5, 1);
    c.store.loseSession();
    c.loop.settle();
    assertThat(failure(write)).isInstanceOf(SalusException.Unavailable.class);
    CompletableFuture<Void> read = c.beginRead(5);
    assertThat(read).isNotDone();
    c.store.failure = null;
    c.store.forgetSession();
    c.members.silent = false;
    c.loop.advance(SECOND);
    assertThat(read).isCompleted();
  }

  @Test
  void firstMountThatFailsIsNotTriedAgain() throws Exception {
    MemoryClient c = new MemoryClient();
    c.members.silent = true;
    c.open();
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertThat(failure(c.host.opened()))
        .isInstanceOf(SalusException.TimedOut.class)
        .hasMessageContaining("silent members");
    c.loop.advance(Duration.ofMinutes(5));
    assertThat(c.store.attempts).isEqualTo(1);
    assertThat(c.store.writer()).as("the lease was given back").isZero();
  }

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
    CompletableFuture<Void> waits = mounted.write(5000, 1);
    mounted.host.abandon();
    assertThat(failure(sent)).isInstanceOf(SalusException.Closed.class);
    assertThat(failure(waits)).isInstanceOf(SalusException.Closed.class);
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
    MemoryClient c = withoutItsZooKeeperSession();
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
    volumes.add(c.volume);
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
    volumes.add(c.volume);
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
