package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.session.ScriptedMembers.SIGNER;
import static org.salus.core.session.ScriptedMembers.ZERO;
import static org.salus.core.session.ScriptedMembers.lane;
import static org.salus.core.session.ScriptedMembers.refused;
import static org.salus.core.session.ScriptedMembers.sent;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message.LiveFiles;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.session.block.ReadTarget;

/** A region that has no room for the session's changes, and says so or does not. */
class VolumeSessionRoomTest {
  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  @Test
  void aRegionWithoutRoomFailsTheWriteWithNoSpace() {
    members.mount(ZERO);
    members.write(1);
    assertThat(members.from(1, refused(1, Refusal.NO_SPACE, 0, new byte[0])))
        .as("it creates no segments")
        .isEmpty();
    assertThat(members.from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0])))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE, true));
  }

  /** A wrong M0 must not end one session after the other. */
  @Test
  void m0RefusesNoChangeThatItWasNotAsked() {
    members.mount(ZERO);
    assertThat(members.from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0]))).isEmpty();
    members.write(1);
    assertThat(members.from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0])))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE, true));
  }

  /** Gives the session a room in which an earlier one was refused long ago. */
  private void doubtRoom() {
    Room room = new Room(1, 1);
    room.isNewer(0, 1);
    room.refused(0, -100);
    session.goOnWith(room);
  }

  @Test
  void whoWasRefusedForWantOfRoomSendsNoChangeUntilM0SaysThatThereIsRoom() {
    doubtRoom();
    long question = question(members.mount(ZERO));
    assertThat(session.flush(1, 0)).as("it needs no room").contains(new SessionEffect.Done(1));
    members.from(0, status(question, 0, true));
    assertThat(members.write(2))
        .containsExactly(new SessionEffect.Failed(2, SessionError.NO_SPACE));
    members.from(0, status(question + 1, 0, false));
    members.from(1, status(question, 1, false));
    assertThat(members.write(3))
        .containsExactly(new SessionEffect.Failed(3, SessionError.NO_SPACE));
    members.from(0, status(question, 0, false));
    assertThat(sent(members.write(4))).hasSize(1);
  }

  @Test
  void firstChangesWaitForM0sAnswerAndAreSentWhenThereIsRoom() {
    doubtRoom();
    assertThat(members.write(1)).as("before the mount").isEmpty();
    long question = question(members.mount(ZERO));
    assertThat(members.write(2)).isEmpty();
    assertThat(session.flush(3, 0)).as("behind the writes").isEmpty();
    assertThat(sent(members.from(0, status(question, 0, false)))).isNotEmpty();
  }

  @Test
  void firstChangesWaitForM0sAnswerAndFailWhenThereIsNoRoom() {
    doubtRoom();
    long question = question(members.mount(ZERO));
    members.write(1);
    session.flush(2, 0);
    assertThat(members.from(0, status(question, 0, true)))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE), new SessionEffect.Done(2));
  }

  @Test
  void changesDoNotWaitLongForAnM0ThatDoesNotSayWhetherThereIsRoom() {
    doubtRoom();
    members.mount(ZERO);
    members.write(1);
    long period = SessionConfig.defaults().resendAfterNanos();
    for (int i = 1; i < SessionBlame.PATIENCE; i++) {
      assertThat(session.onTick(i * period))
          .doesNotContain(new SessionEffect.Failed(1, SessionError.NO_SPACE));
    }
    assertThat(session.onTick(SessionBlame.PATIENCE * period))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE));
    assertThat(members.write(2)).as("at once").containsExactly(failed(2));
  }

  private static SessionEffect failed(long id) {
    return new SessionEffect.Failed(id, SessionError.NO_SPACE);
  }

  @Test
  void readOfABlockWhoseWriteWaitsForRoomWaitsToo() {
    doubtRoom();
    long question = question(members.mount(ZERO));
    members.write(1);
    ByteBuffer into = ByteBuffer.allocate(4096);
    assertThat(session.read(2, 7, into, 0)).isEmpty();
    assertThat(session.read(3, 8, ByteBuffer.allocate(4096), 0))
        .as("another block")
        .containsExactly(new SessionEffect.Done(3));
    assertThat(members.from(0, status(question, 0, true))).contains(new SessionEffect.Done(2));
  }

  /** The write may still fail, and then its bytes must not come back with a later one. */
  @Test
  void changeOfABlockWhoseWriteWaitsForRoomWaitsForItsOutcome() {
    doubtRoom();
    long question = question(members.mount(ZERO));
    members.write(1);
    ByteBuffer into = ByteBuffer.allocate(4096);
    assertThat(session.readToChange(2, 7, ReadTarget.of(into), 0)).isEmpty();
    assertThat(members.from(0, status(question, 0, false))).contains(new SessionEffect.Done(2));
    assertThat(into).isEqualTo(ScriptedMembers.block());
  }

  @Test
  void bytesOfAWriteThatFoundNoRoomAreNotMerged() {
    doubtRoom();
    long question = question(members.mount(ZERO));
    members.write(1);
    ByteBuffer into = ByteBuffer.allocate(4096).put(0, (byte) 5);
    session.readToChange(2, 7, ReadTarget.of(into), 0);
    assertThat(members.from(0, status(question, 0, true)))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE), new SessionEffect.Done(2));
    assertThat(into).isEqualTo(ByteBuffer.allocate(4096));
  }

  @Test
  void requestsThatWaitForRoomFailWithTheSession() {
    doubtRoom();
    members.mount(ZERO);
    members.write(1);
    assertThat(session.end(SessionError.FENCED, 0))
        .contains(new SessionEffect.Failed(1, SessionError.FENCED));
  }

  @Test
  void wordOfM0EndsNoPauseAndANewEpochDoes() {
    Room room = new Room(1, 1_000);
    room.isNewer(0, 1);
    session.goOnWith(room);
    members.mount(ZERO);
    members.write(1);
    members.from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0]));
    assertThat(room.isPausing(0)).isTrue();
    VolumeSession next =
        new VolumeSession(
            new VolumeSpec("v", 9, 4096, 1024, 1, false, 4 << 20),
            4,
            SIGNER,
            SessionConfig.defaults());
    next.goOnWith(room);
    next.onRrs(0, 1, 3, 0);
    assertThat(next.zero(1, 0, 1, false, 0)).contains(failed(1));
    next.onRrs(0, 2, 3, 0);
    assertThat(room.isPausing(0)).isFalse();
  }

  @Test
  void m0ThatDoesNotSayWhetherThereIsRoomIsComplainedOfWhenAChangeWaitsForThat() {
    doubtRoom();
    members.mount(ZERO);
    assertThat(complaints(1, 2 * SessionBlame.PATIENCE)).as("nobody writes").isEmpty();
    members.write(1);
    assertThat(complaints(2 * SessionBlame.PATIENCE + 1, 2 * SessionBlame.PATIENCE + 1))
        .containsExactly(new Stalled(0, 1, 0, "does not say whether there is room"));
  }

  @Test
  void anM0ThatHasJustComeGetsTheWholePatience() {
    doubtRoom();
    members.mount(ZERO);
    members.write(1);
    assertThat(complaints(1, SessionBlame.PATIENCE - 1)).isEmpty();
    session.onRrs(0, 2, 3, 0);
    assertThat(complaints(SessionBlame.PATIENCE, 2 * SessionBlame.PATIENCE - 1)).isEmpty();
    assertThat(complaints(2 * SessionBlame.PATIENCE, 2 * SessionBlame.PATIENCE))
        .containsExactly(new Stalled(0, 2, 0, "does not say whether there is room"));
  }

  /** The complaints in these periods of asking. */
  private List<SessionEffect> complaints(int from, int to) {
    List<SessionEffect> effects = new ArrayList<>();
    for (int period = from; period <= to; period++) {
      effects.addAll(session.onTick(period * SessionConfig.defaults().resendAfterNanos()));
    }
    return effects.stream().filter(e -> e instanceof Stalled).toList();
  }

  private static long question(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof StatusQuery)
        .mapToLong(e -> ((StatusQuery) ((Send) e).message()).id())
        .findFirst()
        .orElseThrow();
  }

  private static StatusReply status(long id, int lane, boolean full) {
    return new StatusReply(
        id,
        1,
        lane,
        true,
        0,
        new LiveFiles(List.of(), List.of(), 0, ZERO),
        0,
        0,
        0,
        ZERO,
        new byte[0],
        full);
  }
}
