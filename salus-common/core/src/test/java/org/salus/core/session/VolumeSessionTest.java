package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogSummary;
import org.salus.core.log.MountBody;
import org.salus.core.log.Prepared;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.StatusQuery;
import org.salus.core.message.Message.StatusReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.wire.MalformedException;

/** One region, its members scripted. */
class VolumeSessionTest {
  private static final byte[] ZERO = new byte[32];

  private final VolumeSpec spec = new VolumeSpec("v", 9, 4096, 256, 1, false, 4 << 20);
  private final Signer signer = new Signer(new byte[0]);
  private final VolumeSession session =
      new VolumeSession(spec, 3, signer, SessionConfig.defaults());

  private List<SessionEffect> from(int lane, Message m) {
    return session.onMessage(new Endpoint.Member(new RegionId(9, 0), lane), m, null, 0);
  }

  private Message commit(int lane, long seq) {
    return commit(lane, 0, seq);
  }

  /** A commit of a view, each of which an epoch begins. */
  private Message commit(int lane, int view, long seq) {
    return commit(lane, view + 1, view, seq);
  }

  private Commit commit(int lane, int epoch, int view, long seq) {
    return new Commit(0, epoch, lane, Commit.SESSION, 3, view, seq, new byte[0], List.of())
        .sign(9, signer);
  }

  private List<SessionEffect> mount(byte[] rootOfLaneTwo) {
    session.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, new MountReply(1, lane, 3, new LogSummary(0, 0, 0, ZERO, List.of())));
    }
    from(0, new ResolveReply(1, 0, 3, 0, ZERO));
    from(1, new ResolveReply(1, 1, 3, 0, ZERO));
    return from(2, new ResolveReply(1, 2, 3, 0, rootOfLaneTwo));
  }

  private List<SessionEffect> write(long id) {
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
    assertThat(write(1)).anyMatch(e -> e instanceof Send s && s.message() instanceof PutRequest);
    assertThat(from(0, commit(0, 1))).isEmpty();
    assertThat(from(1, commit(1, 1))).isEmpty();
    assertThat(from(2, commit(2, 1))).containsExactly(new SessionEffect.Done(1));
  }

  @Test
  void barriersShareABatchWithTheWritesAroundThem() throws MalformedException {
    write(1);
    session.flush(2, 0);
    write(3);
    session.flush(4, 0);
    List<PutRequest> sent = sent(mount(ZERO));
    assertThat(sent).hasSize(1);
    SubBatch batch = SubBatch.decode(sent.get(0).content());
    assertThat(batch.puts()).hasSize(2);
    assertThat(batch.sync()).isTrue();
    from(0, commit(0, 2));
    from(1, commit(1, 2));
    assertThat(from(2, commit(2, 2)))
        .containsExactly(
            new SessionEffect.Done(1),
            new SessionEffect.Done(2),
            new SessionEffect.Done(3),
            new SessionEffect.Done(4));
  }

  /** The blocks are zeros already, but only in memory. */
  @Test
  void zeroingThatIsToBeOnDiskIsThoughItChangesNothing() throws MalformedException {
    mount(ZERO);
    write(1);
    session.zero(2, 7, 1, false, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, commit(lane, 2));
    }
    List<SessionEffect> effects = session.zero(3, 7, 1, true, 0);
    assertThat(SubBatch.decode(sent(effects).get(0).content()).sync()).isTrue();
    assertThat(effects).doesNotContain(new SessionEffect.Done(3));
    from(0, commit(0, 3));
    from(1, commit(1, 3));
    assertThat(from(2, commit(2, 3))).containsExactly(new SessionEffect.Done(3));
    assertThat(session.zero(4, 7, 1, true, 0))
        .as("nothing is left to do")
        .containsExactly(new SessionEffect.Done(4));
  }

  private static List<PutRequest> sent(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof PutRequest)
        .map(e -> (PutRequest) ((Send) e).message())
        .toList();
  }

  @Test
  void aCommitThatItsLaneDidNotSignDoesNotCount() {
    mount(ZERO);
    write(1);
    from(0, commit(0, 1));
    from(1, commit(1, 1));
    assertThat(
            from(
                2, new Commit(0, 1, 2, Commit.SESSION, 3, 0, 1, new byte[Signer.BYTES], List.of())))
        .isEmpty();
  }

  @Test
  void whatLanesCommittedBeforeAReplacementDoesNotCountAfterIt() {
    mount(ZERO);
    write(1);
    from(0, commit(0, 0, 1));
    from(1, commit(1, 0, 1));
    session.onRrs(0, 2, 3, 0);
    assertThat(from(2, commit(2, 0, 1))).isEmpty();
    assertThat(from(2, commit(2, 1, 1))).isEmpty();
    assertThat(from(0, commit(0, 1, 1, 1))).as("of a member that was replaced").isEmpty();
    assertThat(from(1, commit(1, 1, 1, 1))).as("of a member that was replaced").isEmpty();
    assertThat(from(0, commit(0, 1, 1))).isEmpty();
    assertThat(from(1, commit(1, 1, 1))).containsExactly(new SessionEffect.Done(1));
  }

  private static byte[] otherRoot() {
    byte[] other = new byte[32];
    other[3] = 1;
    return other;
  }

  @Test
  void aMemberThatComputesAnotherRootThanTheVolumeRootConfirmsIsAccusedAndTheMountGoesOn() {
    List<SessionEffect> effects = mount(otherRoot());
    assertThat(effects).contains(new SessionEffect.Mounted());
    assertThat(reports(effects))
        .extracting(
            SessionEffect.Report::epoch, SessionEffect.Report::lane, SessionEffect.Report::wrong)
        .containsExactly(tuple(1, 2, true));
  }

  @Test
  void rootsOfWhichNoneGivesTheVolumeRootEndTheMount() {
    session.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, new MountReply(1, lane, 3, log(0)));
    }
    from(0, new ResolveReply(1, 0, 3, 0, otherRoot()));
    from(1, new ResolveReply(1, 1, 3, 0, otherRoot()));
    assertThat(from(2, new ResolveReply(1, 2, 3, 0, otherRoot())))
        .contains(new SessionEffect.Ended(SessionError.INTEGRITY));
  }

  private static LogSummary log(long durable) {
    return new LogSummary(durable, 0, 0, ZERO, List.of());
  }

  @Test
  void aMountWaitsForOtherMembersWhereOneSaysOtherwiseWhatTheLogHolds() {
    session.onRrs(0, 1, 3, 0);
    from(0, new MountReply(1, 0, 3, log(0)));
    from(1, new MountReply(1, 1, 3, log(7)));
    List<SessionEffect> effects = from(2, new MountReply(1, 2, 3, log(0)));
    assertThat(effects)
        .hasSize(1)
        .first()
        .isInstanceOfSatisfying(
            SessionEffect.Disagree.class,
            d ->
                assertThat(d)
                    .extracting(
                        SessionEffect.Disagree::region,
                        SessionEffect.Disagree::epoch,
                        SessionEffect.Disagree::lane)
                    .containsExactly(0, 1, 1));
    assertThat(session.dispute()).contains("region 0").contains("what its log holds");
    assertThat(session.onTick(RESEND)).as("they are asked again").anyMatch(e -> e instanceof Send);
    session.onRrs(0, 2, 3, RESEND);
    for (int lane = 0; lane < 3; lane++) {
      from(lane, new MountReply(2, lane, 3, log(0)));
    }
    assertThat(session.dispute()).isEmpty();
    from(0, new ResolveReply(2, 0, 3, 0, ZERO));
    from(1, new ResolveReply(2, 1, 3, 0, ZERO));
    assertThat(from(2, new ResolveReply(2, 2, 3, 0, ZERO))).contains(new SessionEffect.Mounted());
  }

  @Test
  void aFencedSessionFailsEverythingAndTakesNothingMore() {
    mount(ZERO);
    write(1);
    assertThat(from(0, refused(0, Refusal.FENCED, 4, signedMount(4))))
        .containsExactly(
            new SessionEffect.Failed(1, SessionError.FENCED),
            new SessionEffect.Ended(SessionError.FENCED));
    assertThat(write(2)).containsExactly(new SessionEffect.Failed(2, SessionError.FENCED));
  }

  @Test
  void losingTheWritersLockFencesAtOnce() {
    mount(ZERO);
    write(1);
    assertThat(session.end(SessionError.FENCED, 0))
        .contains(new SessionEffect.Failed(1, SessionError.FENCED));
  }

  @Test
  void aRegionWithoutRoomFailsTheWriteWithNoSpace() {
    mount(ZERO);
    write(1);
    assertThat(from(1, refused(1, Refusal.NO_SPACE, 0, new byte[0])))
        .as("it creates no segments")
        .isEmpty();
    assertThat(from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0])))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE));
  }

  /** A wrong M0 must not end one session after the other. */
  @Test
  void m0RefusesNoChangeThatItWasNotAsked() {
    mount(ZERO);
    assertThat(from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0]))).isEmpty();
    write(1);
    assertThat(from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0])))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE));
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
    long question = question(mount(ZERO));
    assertThat(session.flush(1, 0)).as("it needs no room").contains(new SessionEffect.Done(1));
    from(0, status(question, 0, true));
    assertThat(write(2)).containsExactly(new SessionEffect.Failed(2, SessionError.NO_SPACE));
    from(0, status(question + 1, 0, false));
    from(1, status(question, 1, false));
    assertThat(write(3)).containsExactly(new SessionEffect.Failed(3, SessionError.NO_SPACE));
    from(0, status(question, 0, false));
    assertThat(sent(write(4))).hasSize(1);
  }

  @Test
  void firstChangesWaitForM0sAnswerAndAreSentWhenThereIsRoom() {
    doubtRoom();
    assertThat(write(1)).as("before the mount").isEmpty();
    long question = question(mount(ZERO));
    assertThat(write(2)).isEmpty();
    assertThat(session.flush(3, 0)).as("behind the writes").isEmpty();
    assertThat(sent(from(0, status(question, 0, false)))).isNotEmpty();
  }

  @Test
  void firstChangesWaitForM0sAnswerAndFailWhenThereIsNoRoom() {
    doubtRoom();
    long question = question(mount(ZERO));
    write(1);
    session.flush(2, 0);
    assertThat(from(0, status(question, 0, true)))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE), new SessionEffect.Done(2));
  }

  @Test
  void changesDoNotWaitLongForAnM0ThatDoesNotSayWhetherThereIsRoom() {
    doubtRoom();
    mount(ZERO);
    write(1);
    long period = SessionConfig.defaults().resendAfterNanos();
    for (int i = 1; i < SessionBlame.PATIENCE; i++) {
      assertThat(session.onTick(i * period))
          .doesNotContain(new SessionEffect.Failed(1, SessionError.NO_SPACE));
    }
    assertThat(session.onTick(SessionBlame.PATIENCE * period))
        .contains(new SessionEffect.Failed(1, SessionError.NO_SPACE));
    assertThat(write(2)).as("at once").containsExactly(failed(2));
  }

  private static SessionEffect failed(long id) {
    return new SessionEffect.Failed(id, SessionError.NO_SPACE);
  }

  @Test
  void readOfABlockWhoseWriteWaitsForRoomWaitsToo() {
    doubtRoom();
    long question = question(mount(ZERO));
    write(1);
    ByteBuffer into = ByteBuffer.allocate(4096);
    assertThat(session.read(2, 7, into, 0)).isEmpty();
    assertThat(session.read(3, 8, ByteBuffer.allocate(4096), 0))
        .as("another block")
        .containsExactly(new SessionEffect.Done(3));
    assertThat(from(0, status(question, 0, true))).contains(new SessionEffect.Done(2));
  }

  @Test
  void requestsThatWaitForRoomFailWithTheSession() {
    doubtRoom();
    mount(ZERO);
    write(1);
    assertThat(session.end(SessionError.FENCED, 0))
        .contains(new SessionEffect.Failed(1, SessionError.FENCED));
  }

  @Test
  void wordOfM0EndsNoPauseAndANewEpochDoes() {
    Room room = new Room(1, 1_000);
    room.isNewer(0, 1);
    session.goOnWith(room);
    mount(ZERO);
    write(1);
    from(0, refused(0, Refusal.NO_SPACE, 0, new byte[0]));
    assertThat(room.isPausing(0)).isTrue();
    VolumeSession next =
        new VolumeSession(
            new VolumeSpec("v", 9, 4096, 1024, 1, false, 4 << 20),
            4,
            signer,
            SessionConfig.defaults());
    next.goOnWith(room);
    next.onRrs(0, 1, 3, 0);
    assertThat(next.zero(1, 0, 1, false, 0)).contains(failed(1));
    next.onRrs(0, 2, 3, 0);
    assertThat(room.isPausing(0)).isFalse();
  }

  /** A region that waits for room does not serve. The logs of the others are as full as its own. */
  @Test
  void nobodyLogsAMountBeforeEveryRegionServes() {
    VolumeSession two =
        new VolumeSession(
            new VolumeSpec("v", 9, 4096, 512, 2, false, 4 << 20),
            3,
            signer,
            SessionConfig.defaults());
    List<SessionEffect> effects = new ArrayList<>(two.onRrs(1, 1, 3, 0));
    for (int period = 1; period <= 2 * SessionBlame.PATIENCE; period++) {
      effects.addAll(two.onTick(period * SessionConfig.defaults().resendAfterNanos()));
    }
    assertThat(effects).as("nobody is asked, so nobody is complained of").isEmpty();
    assertThat(two.onRrs(0, 1, 3, 0))
        .hasSize(2)
        .allMatch(e -> e instanceof Send s && s.message() instanceof MountRequest);
  }

  @Test
  void m0ThatDoesNotSayWhetherThereIsRoomIsComplainedOfWhenAChangeWaitsForThat() {
    doubtRoom();
    mount(ZERO);
    assertThat(complaints(1, 2 * SessionBlame.PATIENCE)).as("nobody writes").isEmpty();
    write(1);
    assertThat(complaints(2 * SessionBlame.PATIENCE + 1, 2 * SessionBlame.PATIENCE + 1))
        .containsExactly(new Stalled(0, 1, 0, "does not say whether there is room"));
  }

  @Test
  void anM0ThatHasJustComeGetsTheWholePatience() {
    doubtRoom();
    mount(ZERO);
    write(1);
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
        id, 1, lane, true, 0, List.of(), List.of(), 0, ZERO, 0, 0, 0, ZERO, new byte[0], full);
  }

  private Refused refused(int lane, Refusal why, long seq, byte[] shown) {
    return new Refused(1, lane, 3, 1, why, seq, shown, new byte[0])
        .sign(new RegionId(9, 0), signer);
  }

  @Test
  void nobodyAnswersAMountForOthersOnlyForTheLanesInWhichItActs() {
    session.onRrs(0, 1, 2, 0);
    List<SessionEffect> effects = List.of();
    for (int lane = 0; lane < 3; lane++) {
      effects = from(0, new MountReply(1, lane, 3, new LogSummary(0, 0, 0, ZERO, List.of())));
    }
    assertThat(effects).as("of lanes 1 and 2 member 1 has said nothing").isEmpty();
    from(1, new MountReply(1, 1, 3, new LogSummary(0, 0, 0, ZERO, List.of())));
    effects = from(1, new MountReply(1, 2, 3, new LogSummary(0, 0, 0, ZERO, List.of())));
    assertThat(effects).as("of two members the second acts in lanes 1 and 2").isNotEmpty();
  }

  /** A signed NO of lane 0 to the batch that is sent. */
  private Vote no(List<SessionEffect> sent) throws MalformedException {
    SubBatch b = SubBatch.decode(sent(sent).get(0).content());
    return Vote.on(b, 0, 0, Refusal.DAMAGED).sign(9, signer);
  }

  /** The same vote of another region or epoch, in another view or to another leader. */
  private Vote other(Vote v, int region, int epoch, int leader, int view, byte[] root) {
    return new Vote(
            region, epoch, v.lane(), leader, 3, view, 1, 1, root, Refusal.DAMAGED, new byte[0])
        .sign(9, signer);
  }

  @Test
  void anAbortOfARegionThatIsNotTheSendersOrDoesNotExistIsNotTaken() throws MalformedException {
    mount(ZERO);
    Vote no = no(write(1));
    for (int leader : new int[] {-1, 1, Integer.MAX_VALUE}) {
      assertThat(from(0, new Abort(leader, no))).as("leader %d", leader).isEmpty();
    }
    assertThat(from(1, new Abort(0, no))).as("of another lane than its own").isEmpty();
    assertThat(from(0, new Abort(0, no))).as("its own").anyMatch(Send.class::isInstance);
  }

  @Test
  void aLeaderThatCannotShowASignedNoDoesNotEndAView() throws MalformedException {
    mount(ZERO);
    List<SessionEffect> written = write(1);
    Vote no = no(written);
    Vote yes = Vote.on(SubBatch.decode(sent(written).get(0).content()), 0, 0, null).sign(9, signer);
    List<Vote> wrong =
        List.of(
            no.withSignature(yes.signature()),
            yes,
            other(no, -1, 1, 0, 0, no.root()),
            other(no, 1, 1, 0, 0, no.root()),
            other(no, 0, 2, 0, 0, no.root()),
            other(no, 0, 1, 1, 0, no.root()),
            other(no, 0, 1, 0, 1, no.root()),
            other(no, 0, 1, 0, 0, ZERO));
    for (Vote v : wrong) {
      assertThat(from(0, new Abort(0, v))).as("%s", v).isEmpty();
    }
    assertThat(from(0, new Abort(0, no))).anyMatch(Send.class::isInstance);
  }

  @Test
  void anAnswerToWhatAnotherMemberWasAskedIsNotTaken() {
    mountAndWrite();
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

  private byte[] signedMount(long mountEpoch) {
    return MountBody.proof(
        1, new MountBody(mountEpoch).request(new RegionId(9, 0), 1).sign(mountEpoch, signer));
  }

  @Test
  void whoSaysFencedWithoutShowingANewerMountIsAccusedOnceAndNotBelieved() {
    mount(ZERO);
    write(1);
    assertThat(reports(from(1, refused(1, Refusal.FENCED, 4, new byte[0]))))
        .extracting(SessionEffect.Report::lane, SessionEffect.Report::wrong)
        .containsExactly(tuple(1, true));
    assertThat(from(1, refused(1, Refusal.FENCED, 3, signedMount(3))))
        .as("its own mount is no newer one")
        .isEmpty();
    assertThat(from(1, refused(1, Refusal.FENCED, 5, signedMount(4))))
        .as("another mount's word")
        .isEmpty();
    assertThat(reports(session.onRrs(0, 2, 3, 0))).isEmpty();
    assertThat(write(2)).anyMatch(e -> e instanceof Send);
  }

  @Test
  void aRefusalThatItsLaneDidNotSignDoesNotCount() {
    mount(ZERO);
    assertThat(
            from(
                0,
                new Refused(1, 0, 3, 1, Refusal.FENCED, 4, signedMount(4), new byte[Signer.BYTES])))
        .isEmpty();
    Refused ofLaneOne = refused(1, Refusal.NO_SPACE, 0, new byte[0]);
    assertThat(
            from(
                0,
                new Refused(1, 0, 3, 1, Refusal.NO_SPACE, 0, new byte[0], ofLaneOne.signature())))
        .isEmpty();
    assertThat(from(0, refused(7, Refusal.NO_SPACE, 0, new byte[0]))).isEmpty();
  }

  @Test
  void aLogIsLostWhenAllItsMembersSaySoAndWhoSaysItAloneIsAccused() {
    mountAndWrite();
    List<SessionEffect> effects = from(0, refused(0, Refusal.LOST, 0, new byte[0]));
    assertThat(reports(effects))
        .extracting(SessionEffect.Report::lane, SessionEffect.Report::wrong)
        .containsExactly(tuple(0, true));
    List<Send> asked = effects.stream().filter(e -> e instanceof Send).map(e -> (Send) e).toList();
    assertThat(asked)
        .extracting(VolumeSessionTest::lane)
        .as("whether others lack it too")
        .containsExactly(1, 2);
    assertThat(asked)
        .allSatisfy(s -> assertThat(((PageRequest) s.message()).prevNum()).isEqualTo(1));
    assertThat(from(1, refused(1, Refusal.LOST, 1, new byte[0])))
        .as("it has the seq")
        .noneMatch(e -> e instanceof SessionEffect.Ended);
    assertThat(from(2, refused(2, Refusal.LOST, 0, new byte[0])))
        .noneMatch(e -> e instanceof SessionEffect.Ended);
    List<SessionEffect> ended = from(1, refused(1, Refusal.LOST, 0, new byte[0]));
    assertThat(ended).contains(new SessionEffect.Ended(SessionError.INTEGRITY));
    assertThat(reports(ended))
        .anySatisfy(
            r ->
                assertThat(r.what())
                    .contains(
                        "before seq 1 that all lanes had committed",
                        "start the DataNodes that are down"));
  }

  @Test
  void aMountThatLacksWhatWasOnDiskNamesItAndTheWayOut() {
    VolumeSession two =
        new VolumeSession(
            new VolumeSpec("v", 9, 4096, 512, 2, false, 4 << 20),
            3,
            signer,
            SessionConfig.defaults());
    List<SessionEffect> effects = new ArrayList<>();
    LogSummary whole =
        new LogSummary(3, 3, 0, ZERO, List.of(new Prepared(0, 1, 3, List.of(0, 1), ZERO)));
    for (int region = 0; region < 2; region++) {
      two.onRrs(region, 1, 3, 0);
      for (int lane = 0; lane < 3; lane++) {
        LogSummary its = region == 0 ? whole : new LogSummary(0, 0, 0, ZERO, List.of());
        effects.addAll(
            two.onMessage(
                new Endpoint.Member(new RegionId(9, region), lane),
                new MountReply(1, lane, 3, its),
                null,
                0));
      }
    }
    assertThat(reports(effects))
        .singleElement()
        .satisfies(
            r ->
                assertThat(r.what())
                    .contains(
                        "all replicas of its log lack the batch 1..3, which was on disk",
                        "start the DataNodes that are down"));
    assertThat(effects).endsWith(new SessionEffect.Ended(SessionError.INTEGRITY));
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

  private static Send get(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof GetRequest)
        .map(e -> (Send) e)
        .findFirst()
        .orElseThrow();
  }

  private static int lane(Send s) {
    return ((Endpoint.Member) s.to()).lane();
  }

  /** The answer blames the next lane. */
  private List<SessionEffect> answer(Send asked, ByteBuffer block, long now) {
    return session.onMessage(
        asked.to(),
        new GetReply(
            ((GetRequest) asked.message()).id(),
            (lane(asked) + 1) % 3,
            new byte[1],
            0,
            block == null),
        block,
        now);
  }

  private static ByteBuffer wrong() {
    return ByteBuffer.allocate(4096);
  }

  private static List<SessionEffect.Report> reports(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof SessionEffect.Report)
        .map(e -> (SessionEffect.Report) e)
        .toList();
  }

  /** Lets every member answer wrongly, and returns the effects of the last answer. */
  private List<SessionEffect> threeWrongAnswers() {
    List<SessionEffect> effects = session.read(2, 7, ByteBuffer.allocate(4096), 0);
    for (int i = 0; i < 3; i++) {
      effects = answer(get(effects), wrong(), 0);
    }
    return effects;
  }

  @Test
  void aWrongAnswerIsHeldAgainstTheMemberThatWasAskedOnceAnotherHasAnsweredRightly() {
    mountAndWrite();
    Send first = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    List<SessionEffect> effects = answer(first, wrong(), 0);
    assertThat(reports(effects)).as("perhaps it is the session that is wrong").isEmpty();
    effects = answer(get(effects), block(), 0);
    assertThat(effects).contains(new SessionEffect.Done(2));
    SessionEffect.Report report = reports(effects).get(0);
    assertThat(report.wrong()).isTrue();
    assertThat(report.lane()).as("not whom the answer blames").isEqualTo(lane(first));
    assertThat(report.epoch()).isEqualTo(1);
    assertThat(report.what()).contains("block 7").contains("instead of");
  }

  @Test
  void aMemberThatWasSlowOnceIsAskedAgain() {
    mountAndWrite();
    int slow = lane(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)));
    Send other = get(session.onTick(RESEND));
    assertThat(lane(other)).isNotEqualTo(slow);
    assertThat(answer(other, block(), RESEND)).contains(new SessionEffect.Done(2));
    Set<Integer> asked = new HashSet<>();
    for (long id = 3; id < 103; id++) {
      Send get = get(session.read(id, 7, ByteBuffer.allocate(4096), RESEND));
      asked.add(lane(get));
      assertThat(answer(get, block(), RESEND)).contains(new SessionEffect.Done(id));
    }
    assertThat(asked).contains(slow);
  }

  /** Overloaded members are not asked more and more often. */
  @Test
  void aReadThatNobodyAnswersIsAskedForMoreAndMoreRarely() {
    mountAndWrite();
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
    mountAndWrite();
    ByteBuffer into = ByteBuffer.allocate(4096);
    Send slow = get(session.read(2, 7, into, 0));
    Send other = get(session.onTick(RESEND));
    assertThat(answer(slow, block(), RESEND + 1)).containsExactly(new SessionEffect.Done(2));
    assertThat(into).isEqualTo(block());
    assertThat(answer(other, wrong(), RESEND + 2)).as("nothing is asked any more").isEmpty();
    assertThat(gets(session.onTick(2 * RESEND))).isEmpty();
  }

  @Test
  void aLateWrongAnswerIsHeldAgainstWhoeverWasAsked() {
    mountAndWrite();
    Send slow = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    Send other = get(session.onTick(RESEND));
    assertThat(answer(slow, wrong(), RESEND)).as("another member is asked already").isEmpty();
    List<SessionEffect> effects = answer(other, block(), RESEND);
    assertThat(reports(effects)).extracting(SessionEffect.Report::lane).containsExactly(lane(slow));
    assertThat(effects).contains(new SessionEffect.Done(2));
  }

  @Test
  void anAnswerOfTheEpochBeforeIsNotTaken() {
    mountAndWrite();
    Send before = get(session.read(2, 7, ByteBuffer.allocate(4096), 0));
    Send now = get(session.onRrs(0, 2, 3, 0));
    assertThat(answer(before, wrong(), 0)).isEmpty();
    assertThat(reports(answer(now, block(), 0))).isEmpty();
  }

  // ---- bytes under way ----

  private static List<Send> gets(List<SessionEffect> effects) {
    return effects.stream()
        .filter(e -> e instanceof Send s && s.message() instanceof GetRequest)
        .map(e -> (Send) e)
        .toList();
  }

  /** A session with eight written blocks, which may read two blocks at a time. */
  private VolumeSession narrow() {
    SessionConfig d = SessionConfig.defaults();
    VolumeSession s =
        new VolumeSession(
            spec,
            3,
            signer,
            new SessionConfig(
                d.maxBatches(),
                d.maxBatchPuts(),
                d.resendAfterNanos(),
                d.requestTimeoutNanos(),
                d.pagesPerRegion(),
                2 * 4096));
    s.onRrs(0, 1, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      s.onMessage(
          member(lane),
          new MountReply(1, lane, 3, new LogSummary(0, 0, 0, ZERO, List.of())),
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

  private static Endpoint.Member member(int lane) {
    return new Endpoint.Member(new RegionId(9, 0), lane);
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
    mountAndWrite();
    List<SessionEffect> effects =
        answer(get(session.read(2, 7, ByteBuffer.allocate(4096), 0)), null, 0);
    assertThat(reports(effects)).extracting(SessionEffect.Report::wrong).containsExactly(false);
    assertThat(reports(answer(get(effects), block(), 0))).isEmpty();
  }

  @Test
  void nobodyIsAccusedOfABlockThatNobodyHasAndTheReadFailsWhenItsTimeIsOver() {
    mountAndWrite();
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
      assertThat(answer(get(session.onTick(now)), wrong(), now))
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
    mountAndWrite();
    threeWrongAnswers();
    List<SessionEffect> effects = answer(get(session.onRrs(0, 2, 3, 0)), block(), 0);
    assertThat(effects)
        .containsExactly(new SessionEffect.Readable(List.of(7L)), new SessionEffect.Done(2));
  }

  @Test
  void aWriteTakesThePlaceOfABlockThatNobodyHas() {
    mountAndWrite();
    threeWrongAnswers();
    List<SessionEffect> effects = write(3);
    assertThat(effects)
        .contains(
            new SessionEffect.Failed(2, SessionError.INTEGRITY),
            new SessionEffect.Readable(List.of(7L)));
    assertThat(put(effects.stream().filter(e -> e instanceof Send).toList())).isNotNull();
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
    List<SessionEffect> effects = session.read(2, 7, into, 0);
    for (int i = 0; i < 2; i++) {
      ByteBuffer damaged = ByteBuffer.allocate(3 * 4096).put(data.duplicate()).flip();
      effects = answer(get(effects), damaged.put(i * 4096, (byte) 99), 0);
    }
    assertThat(effects).contains(new SessionEffect.Done(2));
    assertThat(reports(effects))
        .extracting(SessionEffect.Report::wrong)
        .containsExactly(true, true);
    assertThat(into).isEqualTo(data);
  }

  @Test
  void closingWaitsForWhatIsOutstanding() {
    mount(ZERO);
    write(1);
    assertThat(session.close(0)).isEmpty();
    assertThat(write(2)).containsExactly(new SessionEffect.Failed(2, SessionError.CLOSED));
    from(0, commit(0, 1));
    from(1, commit(1, 1));
    assertThat(from(2, commit(2, 1)))
        .containsExactly(new SessionEffect.Done(1), new SessionEffect.Ended(SessionError.CLOSED));
  }

  @Test
  void whatIsNotAnsweredIsSentAgainAsItWas() {
    mount(ZERO);
    PutRequest first = put(write(1));
    PutRequest again = put(session.onTick(SessionConfig.defaults().resendAfterNanos()));
    assertThat(again.content()).isEqualTo(first.content());
  }

  /** On a slow link answers come late, and sending again makes them later. */
  @Test
  void nothingIsSentAgainWhileAnswersCome() {
    mount(ZERO);
    write(1);
    write(2);
    for (int lane = 0; lane < 3; lane++) {
      session.onMessage(
          new Endpoint.Member(new RegionId(9, 0), lane), commit(lane, 1), null, RESEND - 1);
    }
    assertThat(session.onTick(RESEND)).as("the first was answered just now").isEmpty();
    assertThat(session.onTick(2 * RESEND - 1)).isEmpty();
    assertThat(put(session.onTick(2 * RESEND))).isNotNull();
  }

  private static PutRequest put(List<SessionEffect> effects) {
    return (PutRequest)
        effects.stream()
            .map(e -> ((Send) e).message())
            .filter(m -> m instanceof PutRequest)
            .findFirst()
            .orElseThrow();
  }
}
