package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.session.ScriptedMembers.RESEND;
import static org.salus.core.session.ScriptedMembers.SIGNER;
import static org.salus.core.session.ScriptedMembers.SPEC;
import static org.salus.core.session.ScriptedMembers.ZERO;
import static org.salus.core.session.ScriptedMembers.block;
import static org.salus.core.session.ScriptedMembers.commit;
import static org.salus.core.session.ScriptedMembers.get;
import static org.salus.core.session.ScriptedMembers.gets;
import static org.salus.core.session.ScriptedMembers.lane;
import static org.salus.core.session.ScriptedMembers.member;
import static org.salus.core.session.ScriptedMembers.put;
import static org.salus.core.session.ScriptedMembers.reports;
import static org.salus.core.session.ScriptedMembers.wrong;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.ResolveReply;

/** Reads of block 7, which is written, and of how many bytes may be under way. */
class VolumeSessionReadTest {
  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  private static final long TIMEOUT = SessionConfig.defaults().requestTimeoutNanos();

  /** Lets every member answer wrongly, and returns the effects of the last answer. */
  private List<SessionEffect> threeWrongAnswers() {
    List<SessionEffect> effects = session.read(2, 7, ByteBuffer.allocate(4096), 0);
    for (int i = 0; i < 3; i++) {
      effects = members.answer(get(effects), wrong(), 0);
    }
    return effects;
  }

  @Test
  void aWrongAnswerIsHeldAgainstTheMemberThatWasAskedOnceAnotherHasAnsweredRightly() {
    members.mountAndWrite();
    Send first = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    List<SessionEffect> effects = members.answer(first, wrong(), 0);
    assertThat(reports(effects)).as("perhaps it is the session that is wrong").isEmpty();
    effects = members.answer(get(effects), block(), 0);
    assertThat(effects).contains(new SessionEffect.Done(2));
    SessionEffect.Report report = reports(effects).get(0);
    assertThat(report.wrong()).isTrue();
    assertThat(report.lane()).as("not whom the answer blames").isEqualTo(lane(first));
    assertThat(report.epoch()).isEqualTo(1);
    assertThat(report.what()).contains("block 7").contains("instead of");
  }

  /** The same lane has another member in the epoch that opens. */
  @Test
  void anAnswerFromTheEpochBeforeIsNotHeldAgainstTheNextOnesMember() {
    members.mountAndWrite();
    List<SessionEffect> effects = session.read(2, 7, ByteBuffer.allocate(4096), 0);
    effects = members.answer(get(effects), wrong(), 0);
    Send second = get(effects);
    session.onOpening(0, 2, 3, 0);
    effects = members.answer(second, block(), 0);
    assertThat(effects).contains(new SessionEffect.Done(2));
    assertThat(reports(effects)).isEmpty();
  }

  @Test
  void aMemberThatWasSlowOnceIsAskedAgain() {
    members.mountAndWrite();
    int slow = lane(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)));
    Send other = get(session.onTick(RESEND));
    assertThat(lane(other)).isNotEqualTo(slow);
    assertThat(members.answer(other, block(), RESEND)).contains(new SessionEffect.Done(2));
    Set<Integer> asked = new HashSet<>();
    for (long id = 3; id < 103; id++) {
      Send get = get(session.read(id, 7, ByteBuffer.allocate(4096), RESEND));
      asked.add(lane(get));
      assertThat(members.answer(get, block(), RESEND)).contains(new SessionEffect.Done(id));
    }
    assertThat(asked).contains(slow);
  }

  /** Overloaded members are not asked more and more often. */
  @Test
  void aReadThatNobodyAnswersIsAskedForMoreAndMoreRarely() {
    members.mountAndWrite();
    session.read(2, 7, ByteBuffer.allocate(4096), 0);
    int asked = 0;
    for (long now = RESEND; now <= 64 * RESEND; now += RESEND) {
      asked +=
          (int)
              session.onTick(now).stream()
                  .filter(e -> e instanceof Send s && s.message() instanceof GetRequest)
                  .count();
    }
    assertThat(asked).isBetween(5, 7);
  }

  /** On a slow link every answer is late. */
  @Test
  void aLateAnswerIsAsGoodAsAny() {
    members.mountAndWrite();
    ByteBuffer into = ByteBuffer.allocate(4096);
    Send slow = get(session.read(2, 7, into, 0));
    Send other = get(session.onTick(RESEND));
    assertThat(members.answer(slow, block(), RESEND + 1))
        .containsExactly(new SessionEffect.Done(2));
    assertThat(into).isEqualTo(block());
    assertThat(members.answer(other, wrong(), RESEND + 2))
        .as("nothing is asked any more")
        .isEmpty();
    assertThat(gets(session.onTick(2 * RESEND))).isEmpty();
  }

  @Test
  void aLateWrongAnswerIsHeldAgainstWhoeverWasAsked() {
    members.mountAndWrite();
    Send slow = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    Send other = get(session.onTick(RESEND));
    assertThat(members.answer(slow, wrong(), RESEND))
        .as("another member is asked already")
        .isEmpty();
    List<SessionEffect> effects = members.answer(other, block(), RESEND);
    assertThat(reports(effects)).extracting(SessionEffect.Report::lane).containsExactly(lane(slow));
    assertThat(effects).contains(new SessionEffect.Done(2));
  }

  @Test
  void anAnswerOfTheEpochBeforeIsNotTaken() {
    members.mountAndWrite();
    Send before = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    Send now = get(session.onRrs(0, 2, 3, 0));
    assertThat(members.answer(before, wrong(), 0)).isEmpty();
    assertThat(reports(members.answer(now, block(), 0))).isEmpty();
  }

  @Test
  void anAnswerToWhatAnotherMemberWasAskedIsNotTaken() {
    members.mountAndWrite();
    Send asked = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    GetReply reply =
        new GetReply(((GetRequest) asked.message()).id(), lane(asked), new byte[1], 0, false);
    assertThat(
            session.onMessage(
                new Endpoint.Member(new RegionId(9, 0), (lane(asked) + 1) % 3), reply, wrong(), 0))
        .isEmpty();
    assertThat(
            session.onMessage(
                new Endpoint.Member(new RegionId(9, 1), lane(asked)), reply, wrong(), 0))
        .isEmpty();
    assertThat(session.onMessage(asked.to(), reply, block(), 0))
        .containsExactly(new SessionEffect.Done(2));
  }

  /** A session with eight written blocks, which may read two blocks at a time. */
  private VolumeSession narrow() {
    SessionConfig d = SessionConfig.defaults();
    VolumeSession s =
        new VolumeSession(
            SPEC,
            3,
            SIGNER,
            new SessionConfig(
                d.maxBatches(),
                d.maxBatchPuts(),
                d.resendAfterNanos(),
                d.requestTimeoutNanos(),
                d.pagesPerRegion(),
                2 * 4096,
                d.recentBytes()));
    s.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      s.onMessage(
          member(lane),
          new MountReply(1, lane, 3, new LogSummary(Durable.NOTHING, 0, List.of())),
          null,
          0);
    }
    for (int lane = 0; lane < 3; lane++) {
      s.onMessage(member(lane), new ResolveReply(1, lane, 3, 0, ZERO), null, 0);
    }
    ByteBuffer data = ByteBuffer.allocate(8 * 4096);
    for (int i = 0; i < 8; i++) {
      data.put(i * 4096, (byte) 1);
    }
    s.write(1, 0, data, false, 0);
    for (int lane = 0; lane < 3; lane++) {
      s.onMessage(member(lane), commit(lane, 8), null, 0);
    }
    return s;
  }

  @Test
  void bytesOfReadsUnderWayAreBoundedAndEveryReadHasItsTurn() {
    VolumeSession s = narrow();
    Deque<Send> asked = new ArrayDeque<>();
    for (int block = 0; block < 8; block++) {
      asked.addAll(gets(s.read(10 + block, block, ByteBuffer.allocate(4096), 0)));
      assertThat(asked).hasSizeLessThanOrEqualTo(2);
    }
    List<SessionEffect> done = new ArrayList<>();
    while (!asked.isEmpty()) {
      List<SessionEffect> effects = answer(s, asked.poll());
      done.addAll(effects);
      asked.addAll(gets(effects));
      assertThat(asked).hasSizeLessThanOrEqualTo(2);
    }
    for (long id = 10; id < 18; id++) {
      assertThat(done).contains(new SessionEffect.Done(id));
    }
  }

  @Test
  void aReadThatExceedsTheBoundGoesAloneAndOneThatNobodyHasHoldsUpNone() {
    VolumeSession s = narrow();
    List<SessionEffect> effects = s.read(10, 0, ByteBuffer.allocate(4 * 4096), 0);
    assertThat(gets(effects)).hasSize(1);
    assertThat(gets(s.read(11, 7, ByteBuffer.allocate(4096), 0))).as("waits").isEmpty();
    for (int i = 0; i < 3; i++) {
      Send asked = gets(effects).get(0);
      effects =
          s.onMessage(
              asked.to(),
              new GetReply(((GetRequest) asked.message()).id(), 0, new byte[1], 0, true),
              null,
              0);
    }
    assertThat(gets(effects)).as("no answer to the other is awaited").hasSize(1);
    assertThat(answer(s, gets(effects).get(0))).contains(new SessionEffect.Done(11));
  }

  /** Answers a read of one block. */
  private static List<SessionEffect> answer(VolumeSession s, Send asked) {
    return s.onMessage(
        asked.to(),
        new GetReply(((GetRequest) asked.message()).id(), 0, new byte[1], 0, false),
        block(),
        0);
  }

  @Test
  void aReadThatFailedIsNotHeldAgainstAMember() {
    members.mountAndWrite();
    List<SessionEffect> effects =
        members.answer(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)), null, 0);
    assertThat(reports(effects)).extracting(SessionEffect.Report::wrong).containsExactly(false);
    assertThat(reports(members.answer(get(effects), block(), 0))).isEmpty();
  }

  @Test
  void nobodyIsAccusedOfABlockThatNobodyHasAndTheReadFailsWhenItsTimeIsOver() {
    members.mountAndWrite();
    List<SessionEffect> effects = threeWrongAnswers();
    assertThat(effects)
        .hasSize(1)
        .first()
        .isInstanceOfSatisfying(
            SessionEffect.Unreadable.class,
            u -> {
              assertThat(u.region()).isEqualTo(0);
              assertThat(u.blocks()).containsExactly(7L);
              assertThat(u.what())
                  .contains("member 0 sent")
                  .contains("member 1 sent")
                  .contains("member 2 sent");
            });
    for (long now = RESEND; now < TIMEOUT; now += RESEND) {
      assertThat(members.answer(get(session.onTick(now)), wrong(), now))
          .as("asked again in a while")
          .isEmpty();
    }
    assertThat(session.onTick(TIMEOUT))
        .contains(new SessionEffect.Failed(2, SessionError.INTEGRITY));
    assertThat(get(session.read(3, 7, ByteBuffer.allocate(4096), TIMEOUT)))
        .as("the session goes on")
        .isNotNull();
  }

  @Test
  void aBlockThatNobodyHadIsReadFromTheNextMembers() {
    members.mountAndWrite();
    threeWrongAnswers();
    List<SessionEffect> effects = members.answer(get(session.onRrs(0, 2, 3, 0)), block(), 0);
    assertThat(effects)
        .containsExactly(new SessionEffect.Readable(List.of(7L)), new SessionEffect.Done(2));
  }

  @Test
  void aWriteTakesThePlaceOfABlockThatNobodyHas() {
    members.mountAndWrite();
    threeWrongAnswers();
    List<SessionEffect> effects = members.write(3);
    assertThat(effects)
        .contains(
            new SessionEffect.Failed(2, SessionError.INTEGRITY),
            new SessionEffect.Readable(List.of(7L)));
    assertThat(put(effects.stream().filter(e -> e instanceof Send).toList())).isNotNull();
  }

  @Test
  void blocksThatAreDamagedElsewhereOnEachMemberAreReadAllTheSame() {
    members.mount(ZERO);
    ByteBuffer data = ByteBuffer.allocate(3 * 4096);
    for (int i = 0; i < 3; i++) {
      data.put(i * 4096, (byte) (i + 1));
    }
    session.write(1, 7, data.duplicate(), false, 0);
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, commit(lane, 3));
    }
    ByteBuffer into = ByteBuffer.allocate(3 * 4096);
    List<SessionEffect> effects = session.read(2, 7, into, 0);
    for (int i = 0; i < 2; i++) {
      ByteBuffer damaged = ByteBuffer.allocate(3 * 4096).put(data.duplicate()).flip();
      effects = members.answer(get(effects), damaged.put(i * 4096, (byte) 99), 0);
    }
    assertThat(effects).contains(new SessionEffect.Done(2));
    assertThat(reports(effects))
        .extracting(SessionEffect.Report::wrong)
        .containsExactly(true, true);
    assertThat(into).isEqualTo(data);
  }
}
