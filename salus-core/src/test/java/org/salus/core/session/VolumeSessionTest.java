package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.effect.Effect.SessionError;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.LogSummary;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.MessageCodec;
import org.salus.core.message.Refusal;
import org.salus.core.wire.MalformedException;

/** One region, its members scripted. */
class VolumeSessionTest {
  private static final byte[] ZERO = new byte[32];

  private final VolumeSpec spec = new VolumeSpec("v", 9, 4096, 256, 1, false, 4 << 20);
  private final Signer signer = new Signer(new byte[0]);
  private final VolumeSession session = new VolumeSession(spec, 3, signer, SessionConfig.defaults());

  private List<Effect> from(int lane, Message m) {
    return session.onMessage(new Endpoint.Member(new RegionId(9, 0), lane), m, null, 0);
  }

  private Message commit(int lane, long seq) {
    return commit(lane, 0, seq);
  }

  private Message commit(int lane, int view, long seq) {
    Commit bare = new Commit(0, lane, 3, view, seq, new byte[0], List.of());
    return new Commit(0, lane, 3, view, seq, signer.sign(Signer.laneName(new RegionId(9, 0), lane), MessageCodec.signed(bare)), List.of());
  }

  private List<Effect> mount(byte[] rootOfLaneTwo) {
    session.onRrs(0, 1, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, new MountReply(1, lane, 3, new LogSummary(0, 0, 0, ZERO, List.of())));
    }
    from(0, new ResolveReply(1, 0, 3, 0, ZERO));
    from(1, new ResolveReply(1, 1, 3, 0, ZERO));
    return from(2, new ResolveReply(1, 2, 3, 0, rootOfLaneTwo));
  }

  private List<Effect> write(long id) {
    return session.write(id, 7, block(), false, 0);
  }

  private static ByteBuffer block() {
    byte[] b = new byte[4096];
    b[0] = 1;
    return ByteBuffer.wrap(b);
  }

  @Test
  void aWriteIsAcknowledgedByThreeLanesAndByNoFewer() {
    mount(ZERO);
    assertThat(write(1)).anyMatch(e -> e instanceof Effect.Send s && s.message() instanceof PutRequest);
    assertThat(from(0, commit(0, 1))).isEmpty();
    assertThat(from(1, commit(1, 1))).isEmpty();
    assertThat(from(2, commit(2, 1))).containsExactly(new Effect.Done(1));
  }

  @Test
  void barriersShareABatchWithTheWritesAroundThem() throws MalformedException {
    write(1);
    session.flush(2, 0);
    write(3);
    session.flush(4, 0);
    List<PutRequest> sent = mount(ZERO).stream().filter(e -> e instanceof Effect.Send s && s.message() instanceof PutRequest)
        .map(e -> (PutRequest) ((Effect.Send) e).message()).toList();
    assertThat(sent).hasSize(1);
    SubBatch batch = SubBatch.decode(sent.get(0).content());
    assertThat(batch.puts()).hasSize(2);
    assertThat(batch.sync()).isTrue();
    from(0, commit(0, 2));
    from(1, commit(1, 2));
    assertThat(from(2, commit(2, 2))).containsExactly(new Effect.Done(1), new Effect.Done(2), new Effect.Done(3), new Effect.Done(4));
  }

  @Test
  void aCommitThatItsLaneDidNotSignDoesNotCount() {
    mount(ZERO);
    write(1);
    from(0, commit(0, 1));
    from(1, commit(1, 1));
    assertThat(from(2, new Commit(0, 2, 3, 0, 1, new byte[Signer.BYTES], List.of()))).isEmpty();
  }

  @Test
  void whatLanesCommittedBeforeAReplacementDoesNotCountAfterIt() {
    mount(ZERO);
    write(1);
    from(0, commit(0, 0, 1));
    from(1, commit(1, 0, 1));
    session.onRrs(0, 2, 0);
    assertThat(from(2, commit(2, 0, 1))).isEmpty();
    assertThat(from(2, commit(2, 1, 1))).isEmpty();
    assertThat(from(0, commit(0, 1, 1))).isEmpty();
    assertThat(from(1, commit(1, 1, 1))).containsExactly(new Effect.Done(1));
  }

  @Test
  void membersThatComputeAnotherRootEndTheMount() {
    byte[] other = new byte[32];
    other[3] = 1;
    assertThat(mount(other)).contains(new Effect.Ended(SessionError.INTEGRITY)).noneMatch(e -> e instanceof Effect.Mounted);
  }

  @Test
  void aFencedSessionFailsEverythingAndTakesNothingMore() {
    mount(ZERO);
    write(1);
    assertThat(from(0, new Refused(1, 3, 1, Refusal.FENCED, 0)))
        .containsExactly(new Effect.Failed(1, SessionError.FENCED), new Effect.Ended(SessionError.FENCED));
    assertThat(write(2)).containsExactly(new Effect.Failed(2, SessionError.FENCED));
  }

  @Test
  void losingTheWritersLockFencesAtOnce() {
    mount(ZERO);
    write(1);
    assertThat(session.end(SessionError.FENCED, 0)).contains(new Effect.Failed(1, SessionError.FENCED));
  }

  @Test
  void aRegionWithoutRoomFailsTheWriteWithNoSpace() {
    mount(ZERO);
    write(1);
    assertThat(from(0, new Refused(1, 3, 1, Refusal.NO_SPACE, 0))).contains(new Effect.Failed(1, SessionError.NO_SPACE));
  }

  // ---- reads of block 7, which write(1) has written ----

  private static final long RESEND = SessionConfig.defaults().resendAfterNanos();
  private static final long TIMEOUT = SessionConfig.defaults().requestTimeoutNanos();

  private void mountAndWrite() {
    mount(ZERO);
    write(1);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, commit(lane, 1));
    }
  }

  private static Effect.Send get(List<Effect> effects) {
    return effects.stream().filter(e -> e instanceof Effect.Send s && s.message() instanceof GetRequest).map(e -> (Effect.Send) e).findFirst().orElseThrow();
  }

  private static int lane(Effect.Send s) {
    return ((Endpoint.Member) s.to()).lane();
  }

  /** The answer blames the next lane. */
  private List<Effect> answer(Effect.Send asked, ByteBuffer block, long now) {
    return session.onMessage(asked.to(), new GetReply(((GetRequest) asked.message()).id(), (lane(asked) + 1) % 3, new byte[1], 0, block == null), block, now);
  }

  private static ByteBuffer wrong() {
    return ByteBuffer.allocate(4096);
  }

  private static List<Effect.Report> reports(List<Effect> effects) {
    return effects.stream().filter(e -> e instanceof Effect.Report).map(e -> (Effect.Report) e).toList();
  }

  /** Every member answers wrongly; what came of the last answer. */
  private List<Effect> threeWrongAnswers() {
    List<Effect> effects = session.read(2, 7, ByteBuffer.allocate(4096), 0);
    for (int i = 0; i < 3; i++) {
      effects = answer(get(effects), wrong(), 0);
    }
    return effects;
  }

  @Test
  void aWrongAnswerIsHeldAgainstTheMemberThatWasAskedOnceAnotherHasAnsweredRightly() {
    mountAndWrite();
    Effect.Send first = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    List<Effect> effects = answer(first, wrong(), 0);
    assertThat(reports(effects)).as("perhaps it is the session that is wrong").isEmpty();
    effects = answer(get(effects), block(), 0);
    assertThat(effects).contains(new Effect.Done(2));
    Effect.Report report = reports(effects).get(0);
    assertThat(report.wrong()).isTrue();
    assertThat(report.lane()).as("not whom the answer blames").isEqualTo(lane(first));
    assertThat(report.epoch()).isEqualTo(1);
    assertThat(report.what()).contains("block 7").contains("instead of");
  }

  @Test
  void aMemberThatWasSlowOnceIsAskedAgain() {
    mountAndWrite();
    int slow = lane(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)));
    Effect.Send other = get(session.onTick(RESEND));
    assertThat(lane(other)).isNotEqualTo(slow);
    assertThat(answer(other, block(), RESEND)).contains(new Effect.Done(2));
    Set<Integer> asked = new HashSet<>();
    for (long id = 3; id < 103; id++) {
      Effect.Send get = get(session.read(id, 7, ByteBuffer.allocate(4096), RESEND));
      asked.add(lane(get));
      assertThat(answer(get, block(), RESEND)).contains(new Effect.Done(id));
    }
    assertThat(asked).contains(slow);
  }

  @Test
  void aReadThatFailedIsNotHeldAgainstAMember() {
    mountAndWrite();
    List<Effect> effects = answer(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)), null, 0);
    assertThat(reports(effects)).extracting(Effect.Report::wrong).containsExactly(false);
    assertThat(reports(answer(get(effects), block(), 0))).isEmpty();
  }

  @Test
  void nobodyIsAccusedOfABlockThatNobodyHasAndTheReadFailsWhenItsTimeIsOver() {
    mountAndWrite();
    List<Effect> effects = threeWrongAnswers();
    assertThat(effects).hasSize(1).first().isInstanceOfSatisfying(Effect.Unreadable.class, u -> {
      assertThat(u.region()).isEqualTo(0);
      assertThat(u.blocks()).containsExactly(7L);
      assertThat(u.what()).contains("member 0 sent").contains("member 1 sent").contains("member 2 sent");
    });
    for (long now = RESEND; now < TIMEOUT; now += RESEND) {
      assertThat(answer(get(session.onTick(now)), wrong(), now)).as("asked again in a while").isEmpty();
    }
    assertThat(session.onTick(TIMEOUT)).containsExactly(new Effect.Failed(2, SessionError.INTEGRITY));
    assertThat(get(session.read(3, 7, ByteBuffer.allocate(4096), TIMEOUT))).as("the session goes on").isNotNull();
  }

  @Test
  void aBlockThatNobodyHadIsReadFromTheNextMembers() {
    mountAndWrite();
    threeWrongAnswers();
    List<Effect> effects = answer(get(session.onRrs(0, 2, 0)), block(), 0);
    assertThat(effects).containsExactly(new Effect.Readable(List.of(7L)), new Effect.Done(2));
  }

  @Test
  void aWriteTakesThePlaceOfABlockThatNobodyHas() {
    mountAndWrite();
    threeWrongAnswers();
    List<Effect> effects = write(3);
    assertThat(effects).contains(new Effect.Failed(2, SessionError.INTEGRITY), new Effect.Readable(List.of(7L)));
    assertThat(put(effects.stream().filter(e -> e instanceof Effect.Send).toList())).isNotNull();
  }

  @Test
  void blocksThatAreDamagedElsewhereOnEachMemberAreReadAllTheSame() {
    mount(ZERO);
    ByteBuffer data = ByteBuffer.allocate(3 * 4096);
    for (int i = 0; i < 3; i++) {
      data.put(i * 4096, (byte) (i + 1));
    }
    session.write(1, 7, data.duplicate(), false, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, commit(lane, 3));
    }
    ByteBuffer into = ByteBuffer.allocate(3 * 4096);
    List<Effect> effects = session.read(2, 7, into, 0);
    for (int i = 0; i < 2; i++) {
      ByteBuffer damaged = ByteBuffer.allocate(3 * 4096).put(data.duplicate()).flip();
      effects = answer(get(effects), damaged.put(i * 4096, (byte) 99), 0);
    }
    assertThat(effects).contains(new Effect.Done(2));
    assertThat(reports(effects)).extracting(Effect.Report::wrong).containsExactly(true, true);
    assertThat(into).isEqualTo(data);
  }

  @Test
  void closingWaitsForWhatIsOutstanding() {
    mount(ZERO);
    write(1);
    assertThat(session.close(0)).isEmpty();
    assertThat(write(2)).containsExactly(new Effect.Failed(2, SessionError.CLOSED));
    from(0, commit(0, 1));
    from(1, commit(1, 1));
    assertThat(from(2, commit(2, 1))).containsExactly(new Effect.Done(1), new Effect.Ended(SessionError.CLOSED));
  }

  @Test
  void whatIsNotAnsweredIsSentAgainAsItWas() {
    mount(ZERO);
    PutRequest first = put(write(1));
    PutRequest again = put(session.onTick(SessionConfig.defaults().resendAfterNanos()));
    assertThat(again.content()).isEqualTo(first.content());
  }

  private static PutRequest put(List<Effect> effects) {
    return (PutRequest) effects.stream().map(e -> ((Effect.Send) e).message()).filter(m -> m instanceof PutRequest).findFirst().orElseThrow();
  }
}
