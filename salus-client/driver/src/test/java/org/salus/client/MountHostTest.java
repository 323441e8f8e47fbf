package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.client.MemoryClient.failure;
import static org.salus.client.MemoryClient.reason;

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
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.MountConfig;
import org.salus.host.zk.ClusterStoreException;

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
      Throwable why = failure(c.write(5, 1));
      assertThat(why instanceof SalusException.UnknownOutcome sent ? sent.reason() : why)
          .isInstanceOf(SalusException.NoSpace.class);
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
    assertThat(c.store.losses).extracting(LossRecord.Loss::changes).containsExactly(3L);
  }

  /** Only the note is left of it: the mount makes the logs forget. */
  @Test
  void mountWaitsUntilItIsNotedWhatIsLost() throws Exception {
    MemoryClient c = new MemoryClient();
    c.members.lost = 3;
    c.store.takesNoNotes = 2;
    c.open();
    CompletableFuture<Void> opened = c.host.opened();
    assertThat(opened).isNotDone();
    assertThat(c.store.losses).isEmpty();
    c.loop.advance(SECOND.multipliedBy(2));
    assertThat(opened).isNotDone();
    c.loop.advance(SECOND);
    assertThat(opened).isCompleted();
    assertThat(c.store.losses).extracting(LossRecord.Loss::changes).containsExactly(3L);
  }

  private static final LossRecord.Loss LOSS =
      new LossRecord.Loss(0, "bob@host2", 1, 40, 42, false, 0);

  @Test
  void userIsWarnedOfWhatIsLostUntilItIsAccepted() throws Exception {
    assertThat(warningsOfOpen(List.of(LOSS), false))
        .singleElement()
        .asString()
        .contains("2 changes", "bob@host2", "1970-01-01T00:00:00Z", "PUT 40 of 42")
        .contains("salus volume accept-losses disk");
    assertThat(warningsOfOpen(List.of(), false)).isEmpty();
  }

  @Test
  void masterDoesNotWarnItself() throws Exception {
    assertThat(warningsOfOpen(List.of(LOSS), true)).isEmpty();
  }

  /** What a client logs when it opens a volume with these losses. */
  private static List<String> warningsOfOpen(List<LossRecord.Loss> losses, boolean withoutUser)
      throws Exception {
    MemoryClient c =
        new MemoryClient(withoutUser ? MountConfig.defaults().settling() : MountConfig.defaults());
    c.store.losses.addAll(losses);
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
    assertThat(reason(c.write(5, 1))).isInstanceOf(SalusException.NoSpace.class);
    c.members.refusesChanges = false;
    return c;
  }

  @Test
  void sessionThatLostItsLeaseWithZooKeepersSessionIsMountedAgain() throws Exception {
    MemoryClient c = MemoryClient.withoutItsZooKeeperSession();
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
  void handleThatEndsNotesWhatOnlyItKnowsToBeLost() throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    assertThat(c.store.losses).isEmpty();
    c.serversLosePower();
    c.serversComeBack();
    assertThat(failure(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    assertThat(c.store.losses)
        .singleElement()
        .satisfies(
            loss -> {
              assertThat(loss.changes()).isEqualTo(1);
              assertThat(loss.mountEpoch()).isEqualTo(2);
            });
  }

  /** A volume whose servers have lost power for so short a time that its lease stands. */
  private static MemoryClient afterAShortPowerCut(int failedNotes) throws Exception {
    MemoryClient c = MemoryClient.opened();
    assertThat(c.write(5, 1)).isCompleted();
    c.store.takesNoNotes = failedNotes;
    c.members.haveLostAll = true;
    return c;
  }

  /** Fails with what the members have lost, whatever it asks. */
  private static void failsAtOnce(MemoryClient c) {
    CompletableFuture<Void> flush = c.volume.flush();
    List<CompletableFuture<Void>> all =
        List.of(c.beginRead(5), c.write(5, 2), c.write(4096, 2), flush);
    c.loop.settle();
    assertThat(all)
        .allSatisfy(f -> assertThat(failure(f)).isInstanceOf(SalusException.Integrity.class));
  }

  @Test
  void sessionThatLivesThroughAPowerCutNotesWhatItLostBeforeItEnds() throws Exception {
    MemoryClient c = afterAShortPowerCut(2);
    assertThat(reason(c.write(5, 2)))
        .isInstanceOf(SalusException.Integrity.class)
        .hasMessageContaining("that all lanes had committed");
    failsAtOnce(c);
    assertThat(c.store.losses).isEmpty();
    assertThat(c.store.writer()).as("nobody mounts the volume before the note").isEqualTo(1);
    c.loop.advance(SECOND.multipliedBy(3));
    assertThat(c.store.losses).containsExactly(new LossRecord.Loss(0, "mine", 1, 0, 1, true, 1));
    assertThat(c.store.writer()).as("the lease was given back").isZero();
    assertThat(c.requests.over()).isCompleted();
    failsAtOnce(c);
  }

  @Test
  void noteOfASessionThatHasLostItsLeaseIsMadeWhenZooKeeperIsBack() throws Exception {
    MemoryClient c = afterAShortPowerCut(4);
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    loseSession(c);
    failsAtOnce(c);
    c.loop.advance(SECOND.multipliedBy(14));
    failsAtOnce(c);
    assertThat(c.store.losses).isEmpty();
    c.loop.advance(SECOND);
    assertThat(c.store.losses).extracting(LossRecord.Loss::mountEpoch).containsExactly(1L);
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.attempts).as("the volume is not mounted again").isEqualTo(1);
  }

  /** Its requests fail meanwhile, as after a time-out. */
  @Test
  void handleWhoseUserAcceptsLossesGoesOnAfterThatOfASession() throws Exception {
    MemoryClient c = new MemoryClient(true);
    c.open();
    assertThat(c.write(5, 1)).isCompleted();
    c.members.haveLostAll = true;
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    c.members.haveLostAll = false;
    c.loop.advance(SECOND);
    assertThat(c.store.losses).hasSize(1);
    assertThat(c.store.writer()).as("mounted again").isEqualTo(2);
    assertThat(c.write(5, 3)).isCompleted();
    assertThat(c.read(5)).isEqualTo(3);
  }

  @Test
  void mountThatHasServedIsNotedWhenZooKeeperIsBack() throws Exception {
    MemoryClient c = new MemoryClient();
    c.store.losesConfirmed = 2;
    c.open();
    assertThat(c.host.opened()).as("nobody waits for it").isCompleted();
    c.loop.advance(SECOND.multipliedBy(2));
    assertThat(c.store.confirmed).isNull();
    c.volume.close();
    c.loop.advance(SECOND);
    assertThat(c.store.confirmed.mountEpoch()).isEqualTo(1);
  }

  @Test
  void noteThatFailsByABugIsTriedAgain() throws Exception {
    MemoryClient c = afterAShortPowerCut(2);
    c.store.failsByABug = true;
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    c.loop.advance(SECOND.multipliedBy(3));
    assertThat(c.store.losses).hasSize(1);
    assertThat(c.requests.over()).isCompleted();
  }

  @Test
  void leaseIsGivenBackWhenTheNoteIsRefusedForLong() throws Exception {
    MemoryClient c = afterAShortPowerCut(7);
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    c.loop.advance(Duration.ofSeconds(59));
    assertThat(c.requests.over()).isNotDone();
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.writer()).as("the lease was given back").isZero();
    assertThat(c.store.losses).isEmpty();
    c.loop.advance(Duration.ofSeconds(65));
    assertThat(c.store.losses).as("the note comes while the client lives").hasSize(1);
  }

  @Test
  void whoClosesTheVolumeWaitsForTheNoteButNotForLong() throws Exception {
    MemoryClient c = afterAShortPowerCut(4);
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    c.requests.close();
    c.host.close();
    c.loop.advance(SECOND.multipliedBy(4));
    assertThat(c.requests.over()).isNotDone();
    c.loop.advance(SECOND.multipliedBy(2));
    assertThat(c.requests.over()).isCompleted();
    assertThat(c.store.losses).isEmpty();
    c.loop.advance(SECOND.multipliedBy(10));
    assertThat(c.store.losses).as("the note comes while the client lives").hasSize(1);
  }

  @Test
  void whoEndsTheClientDoesNotWaitForTheNote() throws Exception {
    MemoryClient c = afterAShortPowerCut(10);
    assertThat(reason(c.write(5, 2))).isInstanceOf(SalusException.Integrity.class);
    c.host.abandon();
    c.loop.settle();
    assertThat(c.requests.over()).isCompleted();
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
    CompletableFuture<Void> part = c.write(5, 2);
    CompletableFuture<Void> whole = c.volume.write(8192, ByteBuffer.allocate(4096));
    c.loop.settle();
    c.store.takeOver();
    c.loop.settle();
    assertThat(reason(part)).isInstanceOf(SalusException.Fenced.class);
    assertThat(reason(whole)).isInstanceOf(SalusException.Fenced.class);
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
    assertThat(reason(write)).isInstanceOf(SalusException.Fenced.class);
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
    assertThat(reason(write)).isInstanceOf(SalusException.Unavailable.class);
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
}
