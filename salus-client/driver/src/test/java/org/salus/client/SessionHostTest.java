package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.salus.client.cluster.WaitReason;
import org.salus.core.Signer;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.replacement.Accusation;
import org.salus.core.replacement.Cause;
import org.salus.core.session.block.ReadTarget;

/** One session from its lease to its end, over members in memory. */
class SessionHostTest {
  private static final int BLOCK = 4096;

  private final MemoryClient c = new MemoryClient();
  private final RecordingListener heard = new RecordingListener();

  private SessionHost mounted() {
    SessionHost session = c.mountAs(1, heard);
    assertThat(heard.mounted).isEqualTo(1);
    return session;
  }

  private CompletableFuture<SessionEffect.Outcome> write(SessionHost session) {
    CompletableFuture<SessionEffect.Outcome> written =
        session.write(3, ByteBuffer.allocate(BLOCK), false);
    c.loop.settle();
    return written;
  }

  private void assertFailed(CompletableFuture<SessionEffect.Outcome> request, SessionError why) {
    assertThat(request)
        .isCompletedWithValueMatching(e -> e instanceof SessionEffect.Failed f && f.why() == why);
  }

  @Test
  void requestsBeforeTheMountWaitForIt() {
    c.members.silent = true;
    SessionHost session = c.mountAs(1, heard);
    CompletableFuture<SessionEffect.Outcome> written = write(session);
    assertThat(written).isNotDone();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(heard.mounted).isEqualTo(1);
    assertThat(written).isCompletedWithValueMatching(e -> e instanceof SessionEffect.Done);
  }

  @Test
  void outstandingRequestsFailWithTheSessionAndItsEndIsToldOnce() {
    SessionHost session = mounted();
    write(session);
    c.members.silent = true;
    CompletableFuture<SessionEffect.Outcome> read =
        session.read(3, 1, ReadTarget.of(ByteBuffer.allocate(BLOCK)));
    CompletableFuture<SessionEffect.Outcome> write = write(session);
    session.end(SessionError.CLOSED);
    session.end(SessionError.FENCED);
    session.close();
    assertFailed(write, SessionError.CLOSED);
    assertFailed(read, SessionError.CLOSED);
    assertThat(heard.ends).containsExactly(SessionError.CLOSED);
    assertFailed(
        session.read(9, 1, ReadTarget.of(ByteBuffer.allocate(BLOCK))), SessionError.CLOSED);
  }

  @Test
  void nothingRunsAfterTheEnd() {
    SessionHost session = mounted();
    session.end(SessionError.CLOSED);
    assertThat(c.members.sessions()).isEmpty();
    int before = c.members.hellos;
    c.loop.advance(Duration.ofMinutes(1));
    assertThat(c.members.hellos).isEqualTo(before);
    assertThat(heard.ends).hasSize(1);
  }

  @Test
  void helloIsSaidAboutOnceASecond() {
    mounted();
    int before = c.members.hellos;
    c.loop.advance(Duration.ofSeconds(10));
    assertThat(c.members.hellos - before).isBetween(9, 11);
  }

  @Test
  void mountThatIsNotAnsweredEndsWithTheRequestTimeout() {
    c.members.silent = true;
    SessionHost session = c.mountAs(1, heard);
    c.loop.advance(MemoryClient.REQUEST_TIMEOUT.minusMillis(50));
    assertThat(heard.ends).isEmpty();
    c.loop.advance(Duration.ofMillis(100));
    assertThat(heard.ends).containsExactly(SessionError.TIMED_OUT);
    assertThat(session.exception(SessionError.TIMED_OUT))
        .isInstanceOf(SalusException.TimedOut.class)
        .hasMessage("volume disk: no answer within 5 s, its request timeout: silent members");
  }

  @Test
  void requestThatIsNotAnsweredEndsTheSession() {
    SessionHost session = mounted();
    c.members.silent = true;
    CompletableFuture<SessionEffect.Outcome> write = write(session);
    c.loop.advance(MemoryClient.UNTIL_TIMED_OUT);
    assertFailed(write, SessionError.TIMED_OUT);
    assertThat(heard.ends).containsExactly(SessionError.TIMED_OUT);
  }

  @Test
  void serversThatAnswerOthersAreNotSaidToBeSilent() {
    SessionHost session = mounted();
    c.members.silent = true;
    write(session);
    c.loop.advance(Duration.ofSeconds(3));
    assertThat(session.exception(SessionError.TIMED_OUT)).hasMessageEndingWith("silent members");
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(session.exception(SessionError.TIMED_OUT)).hasMessageEndingWith("slow members");
    assertThat(WaitReason.whileServing(List.of("a", "b"), true))
        .contains("other requests are answered", "[a, b] is slow");
    assertThat(WaitReason.whileServing(List.of("a", "b"), false)).contains("not all of [a, b]");
  }

  @Test
  void requestThatTheSessionItselfDoesNotTimeOutEndsItTwoSecondsLater() {
    SessionHost session = mounted();
    session.extend(c.loop.nanoTime(), c.loop.nanoTime());
    CompletableFuture<SessionEffect.Outcome> map = session.zeroMap(0, 8);
    c.loop.advance(MemoryClient.REQUEST_TIMEOUT.plusSeconds(1));
    assertThat(map).as("its answer waits for a lease").isNotDone();
    c.loop.advance(Duration.ofMillis(1100));
    assertFailed(map, SessionError.TIMED_OUT);
    assertThat(heard.ends).containsExactly(SessionError.TIMED_OUT);
  }

  @Test
  void questionWhereZerosAreThatNobodyAnswersFailsAlone() {
    write(mounted());
    RecordingListener later = new RecordingListener();
    SessionHost session = c.mountAs(2, later);
    c.members.silent = true;
    CompletableFuture<SessionEffect.Outcome> map = session.zeroMap(0, 8);
    c.loop.advance(MemoryClient.REQUEST_TIMEOUT.plusSeconds(1));
    assertFailed(map, SessionError.TIMED_OUT);
    c.loop.advance(Duration.ofMinutes(2));
    assertThat(later.ends).isEmpty();
  }

  @Test
  void idleSessionDoesNotEnd() {
    SessionHost session = mounted();
    c.members.silent = true;
    c.loop.advance(Duration.ofMinutes(2));
    c.members.silent = false;
    assertThat(heard.ends).isEmpty();
    assertThat(write(session)).isCompletedWithValueMatching(e -> e instanceof SessionEffect.Done);
  }

  @Test
  void regionWithoutRoomEndsTheSession() {
    SessionHost session = mounted();
    c.members.setFull(true);
    c.loop.settle();
    assertThat(heard.ends).containsExactly(SessionError.NO_SPACE);
    assertThat(session.exception(SessionError.NO_SPACE)).isInstanceOf(SalusException.NoSpace.class);
  }

  @Test
  void lostLeaseEndsTheSessionBeforeAnythingElseIsSent() {
    SessionHost session = mounted();
    session.loseLease();
    assertThat(heard.ends).containsExactly(SessionError.FENCED);
    assertThat(session.endedWithLease(SessionError.FENCED)).isTrue();
    assertThat(session.endedWithLease(SessionError.NO_SPACE)).isFalse();
    assertFailed(write(session), SessionError.FENCED);
  }

  @Test
  void newerMountEndsTheSessionThoughItsLeaseWasNotLost() {
    SessionHost session = mounted();
    c.mountAs(2, new RecordingListener());
    CompletableFuture<SessionEffect.Outcome> write = write(session);
    c.loop.advance(Duration.ofSeconds(1));
    assertFailed(write, SessionError.FENCED);
    assertThat(session.endedWithLease(SessionError.FENCED)).isFalse();
    assertThat(session.exception(SessionError.FENCED)).isInstanceOf(SalusException.Fenced.class);
  }

  @Test
  void closedSessionEndsWhenItsRequestsAreDone() {
    SessionHost session = mounted();
    c.members.silent = true;
    CompletableFuture<SessionEffect.Outcome> before = write(session);
    session.close();
    assertFailed(write(session), SessionError.CLOSED);
    assertThat(heard.ends).isEmpty();
    c.members.silent = false;
    c.loop.advance(Duration.ofSeconds(1));
    assertThat(before).isCompletedWithValueMatching(e -> e instanceof SessionEffect.Done);
    assertThat(heard.ends).containsExactly(SessionError.CLOSED);
  }

  @Test
  void memberThatDoesNotAnswerAMountIsReportedToTheMaster() {
    c.members.silent = true;
    c.mountAs(1, heard);
    c.loop.advance(Duration.ofSeconds(2));
    assertThat(c.store.accusations).hasSize(1);
    Accusation said = c.store.accusations.get(0).accusation();
    assertThat(said.cause()).isEqualTo(Cause.STALLED);
    assertThat(said.lane()).isZero();
    assertThat(c.store.accusations.get(0).signature())
        .isEqualTo(said.sign(new Signer(MemoryMembers.SECRET)));
  }

  @Test
  void mountForgetsTheDamageThatTheWriterBeforeHasFound() {
    mounted();
    assertThat(c.store.damage).hasSize(1);
    assertThat(c.store.damage.get(0).regions()).isEqualTo(List.of());
  }
}
