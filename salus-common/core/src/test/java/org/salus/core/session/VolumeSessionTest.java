package org.salus.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.salus.core.session.ScriptedMembers.RESEND;
import static org.salus.core.session.ScriptedMembers.SIGNER;
import static org.salus.core.session.ScriptedMembers.ZERO;
import static org.salus.core.session.ScriptedMembers.commit;
import static org.salus.core.session.ScriptedMembers.lane;
import static org.salus.core.session.ScriptedMembers.member;
import static org.salus.core.session.ScriptedMembers.put;
import static org.salus.core.session.ScriptedMembers.refused;
import static org.salus.core.session.ScriptedMembers.reports;
import static org.salus.core.session.ScriptedMembers.sent;
import static org.salus.core.session.ScriptedMembers.signedMount;
import static org.salus.core.session.ScriptedMembers.wrong;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Refusal;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Durable;
import org.salus.core.log.LogSummary;
import org.salus.core.log.Prepared;
import org.salus.core.log.Put;
import org.salus.core.log.Relied;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.MountReply;
import org.salus.core.message.Message.MountRequest;
import org.salus.core.message.Message.PageRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveReply;
import org.salus.core.message.Message.Vote;
import org.salus.core.session.block.HashedBlocks;
import org.salus.core.wire.MalformedException;

/** One region, its members scripted. */
class VolumeSessionTest {
  private final ScriptedMembers members = new ScriptedMembers();
  private final VolumeSession session = members.session;

  @Test
  void aWriteIsAcknowledgedByThreeLanesAndByNoFewer() {
    members.mount(ZERO);
    assertThat(members.write(1))
        .anyMatch(e -> e instanceof Send s && s.message() instanceof PutRequest);
    assertThat(members.from(0, commit(0, 1))).isEmpty();
    assertThat(members.from(1, commit(1, 1))).isEmpty();
    assertThat(members.from(2, commit(2, 1))).containsExactly(new SessionEffect.Done(1));
  }

  @Test
  void barriersShareABatchWithTheWritesAroundThem() throws MalformedException {
    members.write(1);
    session.flush(2, 0);
    session.write(3, 8, ScriptedMembers.block(), false, 0);
    session.flush(4, 0);
    List<PutRequest> sent = sent(members.mount(ZERO));
    assertThat(sent).hasSize(1);
    SubBatch batch = SubBatch.decode(sent.get(0).content());
    assertThat(batch.puts()).hasSize(2);
    assertThat(batch.sync()).isTrue();
    members.from(0, commit(0, 2));
    members.from(1, commit(1, 2));
    assertThat(members.from(2, commit(2, 2)))
        .containsExactly(
            new SessionEffect.Done(1),
            new SessionEffect.Done(2),
            new SessionEffect.Done(3),
            new SessionEffect.Done(4));
  }

  /** A batch takes effect as a whole, so only the last data of a block counts. */
  @Test
  void writesOfABlockInOneBatchAreOnePut() throws MalformedException {
    ByteBuffer last = ByteBuffer.allocate(4096).put(0, (byte) 9);
    members.write(1);
    session.write(2, 8, ScriptedMembers.block(), false, 0);
    session.zero(3, 7, 2, false, 0);
    members.write(4);
    session.write(5, 7, last, false, 0);
    List<SessionEffect> effects = members.mount(ZERO);
    SubBatch batch = SubBatch.decode(sent(effects).get(0).content());
    assertThat(batch.puts())
        .extracting(Put::seq, Put::local, Put::count, Put::zero)
        .containsExactly(
            tuple(1L, 7L, 1, false),
            tuple(2L, 8L, 1, false),
            tuple(3L, 7L, 2, true),
            tuple(4L, 7L, 1, false));
    assertThat(batch.puts().get(3).leafHash()).isEqualTo(new HashedBlocks().leaf(last));
    assertThat(effects)
        .filteredOn(e -> e instanceof Send s && s.message() instanceof PutRequest)
        .singleElement()
        .satisfies(
            e ->
                assertThat(((Send) e).payload().slice(2 * 4096, 4096))
                    .as("the third block of data")
                    .isEqualTo(last));
    members.from(0, commit(0, 4));
    members.from(1, commit(1, 4));
    assertThat(members.from(2, commit(2, 4)))
        .extracting(e -> ((SessionEffect.Done) e).id())
        .containsExactly(1L, 2L, 3L, 4L, 5L);
  }

  /** The blocks are zeros already, but only in memory. */
  @Test
  void zeroingThatIsToBeOnDiskIsThoughItChangesNothing() throws MalformedException {
    members.mount(ZERO);
    members.write(1);
    session.zero(2, 7, 1, false, 0);
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, commit(lane, 2));
    }
    List<SessionEffect> effects = session.zero(3, 7, 1, true, 0);
    assertThat(SubBatch.decode(sent(effects).get(0).content()).sync()).isTrue();
    assertThat(effects).doesNotContain(new SessionEffect.Done(3));
    members.from(0, commit(0, 3));
    members.from(1, commit(1, 3));
    assertThat(members.from(2, commit(2, 3))).containsExactly(new SessionEffect.Done(3));
    assertThat(session.zero(4, 7, 1, true, 0))
        .as("nothing is left to do")
        .containsExactly(new SessionEffect.Done(4));
  }

  @Test
  void aCommitThatItsLaneDidNotSignDoesNotCount() {
    members.mount(ZERO);
    members.write(1);
    members.from(0, commit(0, 1));
    members.from(1, commit(1, 1));
    assertThat(
            members.from(
                2, new Commit(0, 1, 2, Commit.SESSION, 3, 0, 1, new byte[Signer.BYTES], List.of())))
        .isEmpty();
  }

  @Test
  void whatLanesCommittedBeforeAReplacementDoesNotCountAfterIt() {
    members.mount(ZERO);
    members.write(1);
    members.from(0, commit(0, 0, 1));
    members.from(1, commit(1, 0, 1));
    session.onRrs(0, 2, 3, 0);
    assertThat(members.from(2, commit(2, 0, 1))).isEmpty();
    assertThat(members.from(2, commit(2, 1, 1))).isEmpty();
    assertThat(members.from(0, commit(0, 1, 1, 1))).as("of a member that was replaced").isEmpty();
    assertThat(members.from(1, commit(1, 1, 1, 1))).as("of a member that was replaced").isEmpty();
    assertThat(members.from(0, commit(0, 1, 1))).isEmpty();
    assertThat(members.from(1, commit(1, 1, 1))).containsExactly(new SessionEffect.Done(1));
  }

  private static byte[] otherRoot() {
    byte[] other = new byte[32];
    other[3] = 1;
    return other;
  }

  @Test
  void aMemberThatComputesAnotherRootThanTheVolumeRootConfirmsIsAccusedAndTheMountGoesOn() {
    List<SessionEffect> effects = members.mount(otherRoot());
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
      members.from(lane, new MountReply(1, lane, 3, log(0)));
    }
    members.from(0, new ResolveReply(1, 0, 3, 0, otherRoot()));
    members.from(1, new ResolveReply(1, 1, 3, 0, otherRoot()));
    assertThat(members.from(2, new ResolveReply(1, 2, 3, 0, otherRoot())))
        .contains(new SessionEffect.Ended(SessionError.INTEGRITY));
  }

  private static LogSummary log(long durable) {
    return new LogSummary(new Durable(durable, ZERO), 0, List.of());
  }

  @Test
  void aMountWaitsForOtherMembersWhereOneSaysOtherwiseWhatTheLogHolds() {
    session.onRrs(0, 1, 3, 0);
    members.from(0, new MountReply(1, 0, 3, log(0)));
    members.from(1, new MountReply(1, 1, 3, log(7)));
    List<SessionEffect> effects = members.from(2, new MountReply(1, 2, 3, log(0)));
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
      members.from(lane, new MountReply(2, lane, 3, log(0)));
    }
    assertThat(session.dispute()).isEmpty();
    members.from(0, new ResolveReply(2, 0, 3, 0, ZERO));
    members.from(1, new ResolveReply(2, 1, 3, 0, ZERO));
    assertThat(members.from(2, new ResolveReply(2, 2, 3, 0, ZERO)))
        .contains(new SessionEffect.Mounted());
  }

  @Test
  void aFencedSessionFailsEverythingAndTakesNothingMore() {
    members.mount(ZERO);
    members.write(1);
    assertThat(members.from(0, refused(0, Refusal.FENCED, 4, signedMount(4))))
        .containsExactly(
            new SessionEffect.Failed(1, SessionError.FENCED, true),
            new SessionEffect.Ended(SessionError.FENCED));
    assertThat(members.write(2)).containsExactly(new SessionEffect.Failed(2, SessionError.FENCED));
  }

  /** With one batch of two blocks at a time, the session must keep what comes later. */
  @Test
  void onlyAChangeOfWhichSomethingWasSentIsInDoubt() {
    SessionConfig d = SessionConfig.defaults();
    ScriptedMembers few =
        new ScriptedMembers(
            new SessionConfig(
                1,
                2,
                d.resendAfterNanos(),
                d.requestTimeoutNanos(),
                d.pagesPerRegion(),
                64 << 10,
                d.recentBytes()));
    few.mount(ZERO);
    few.session.write(1, 7, ByteBuffer.allocate(3 * 4096), false, 0);
    few.write(2);
    few.session.flush(3, 0);
    few.session.read(4, 7, ByteBuffer.allocate(4096), 0);
    assertThat(few.session.end(SessionError.FENCED, 0))
        .containsExactly(
            new SessionEffect.Failed(1, SessionError.FENCED, true),
            new SessionEffect.Failed(2, SessionError.FENCED, false),
            new SessionEffect.Failed(3, SessionError.FENCED, false),
            new SessionEffect.Failed(4, SessionError.FENCED, false),
            new SessionEffect.Ended(SessionError.FENCED));
  }

  /** An earlier writer may still read, so that nothing is acknowledged. */
  @Test
  void committedChangeThatIsNotAcknowledgedIsInDoubt() {
    session.onLease(1_000, 900, 0);
    members.mountAndWrite();
    assertThat(session.end(SessionError.FENCED, 0))
        .contains(new SessionEffect.Failed(1, SessionError.FENCED, true));
  }

  @Test
  void losingTheWritersLockFencesAtOnce() {
    members.mount(ZERO);
    members.write(1);
    assertThat(session.end(SessionError.FENCED, 0))
        .contains(new SessionEffect.Failed(1, SessionError.FENCED, true));
  }

  /** A region that waits for room does not serve. The logs of the others are as full as its own. */
  @Test
  void nobodyLogsAMountBeforeEveryRegionServes() {
    VolumeSession two =
        new VolumeSession(
            new VolumeSpec("v", 9, 4096, 512, 2, false, 4 << 20),
            3,
            SIGNER,
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

  /** What a wrong member has forgotten of it, an older session might write again. */
  @Test
  void newMembersAreToldOfAMountOnceAllLogsHaveIt() {
    members.session.onRrs(0, 1, 3, 0);
    members.from(0, new MountReply(1, 0, 3, log(0)));
    assertThat(toldOf(2)).isEqualTo(new Relied(3, 0, 0, 0));
    members.session.onRrs(0, 2, 3, 0);
    for (int lane = 0; lane < 3; lane++) {
      members.from(lane, new MountReply(2, lane, 3, log(0)));
    }
    assertThat(toldOf(3)).isEqualTo(new Relied(3, 3, 0, 0));
  }

  /** What the members of this next epoch hear. */
  private Relied toldOf(int epoch) {
    return members.session.onOpening(0, epoch, 3, 0).stream()
        .filter(e -> e instanceof Send s && s.message() instanceof Acknowledged)
        .map(e -> ((Acknowledged) ((Send) e).message()).relied())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void nobodyAnswersAMountForOthersOnlyForTheLanesInWhichItActs() {
    session.onRrs(0, 1, 2, 0);
    List<SessionEffect> effects = List.of();
    for (int lane = 0; lane < 3; lane++) {
      effects =
          members.from(
              0, new MountReply(1, lane, 3, new LogSummary(Durable.NOTHING, 0, List.of())));
    }
    assertThat(effects).as("of lanes 1 and 2 member 1 has said nothing").isEmpty();
    members.from(1, new MountReply(1, 1, 3, new LogSummary(Durable.NOTHING, 0, List.of())));
    effects =
        members.from(1, new MountReply(1, 2, 3, new LogSummary(Durable.NOTHING, 0, List.of())));
    assertThat(effects).as("of two members the second acts in lanes 1 and 2").isNotEmpty();
  }

  /** A signed NO of lane 0 to the batch that is sent. */
  private Vote no(List<SessionEffect> sent) throws MalformedException {
    SubBatch b = SubBatch.decode(sent(sent).get(0).content());
    return Vote.on(b, 0, 0, Refusal.DAMAGED).sign(9, SIGNER);
  }

  /** The same vote of another region or epoch, in another view or to another leader. */
  private Vote other(Vote v, int region, int epoch, int leader, int view, byte[] root) {
    return new Vote(
            region, epoch, v.lane(), leader, 3, view, 1, 1, root, Refusal.DAMAGED, new byte[0])
        .sign(9, SIGNER);
  }

  @Test
  void anAbortOfARegionThatIsNotTheSendersOrDoesNotExistIsNotTaken() throws MalformedException {
    members.mount(ZERO);
    Vote no = no(members.write(1));
    for (int leader : new int[] {-1, 1, Integer.MAX_VALUE}) {
      assertThat(members.from(0, new Abort(leader, no))).as("leader %d", leader).isEmpty();
    }
    assertThat(members.from(1, new Abort(0, no))).as("of another lane than its own").isEmpty();
    assertThat(members.from(0, new Abort(0, no))).as("its own").anyMatch(Send.class::isInstance);
  }

  @Test
  void aLeaderThatCannotShowASignedNoDoesNotEndAView() throws MalformedException {
    members.mount(ZERO);
    List<SessionEffect> written = members.write(1);
    Vote no = no(written);
    Vote yes = Vote.on(SubBatch.decode(sent(written).get(0).content()), 0, 0, null).sign(9, SIGNER);
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
      assertThat(members.from(0, new Abort(0, v))).as("%s", v).isEmpty();
    }
    assertThat(members.from(0, new Abort(0, no))).anyMatch(Send.class::isInstance);
  }

  @Test
  void whoSaysFencedWithoutShowingANewerMountIsAccusedOnceAndNotBelieved() {
    members.mount(ZERO);
    members.write(1);
    assertThat(reports(members.from(1, refused(1, Refusal.FENCED, 4, new byte[0]))))
        .extracting(SessionEffect.Report::lane, SessionEffect.Report::wrong)
        .containsExactly(tuple(1, true));
    assertThat(members.from(1, refused(1, Refusal.FENCED, 3, signedMount(3))))
        .as("its own mount is no newer one")
        .isEmpty();
    assertThat(members.from(1, refused(1, Refusal.FENCED, 5, signedMount(4))))
        .as("another mount's word")
        .isEmpty();
    assertThat(reports(session.onRrs(0, 2, 3, 0))).isEmpty();
    assertThat(members.write(2)).anyMatch(e -> e instanceof Send);
  }

  @Test
  void aRefusalThatItsLaneDidNotSignDoesNotCount() {
    members.mount(ZERO);
    assertThat(
            members.from(
                0,
                new Refused(1, 0, 3, 1, Refusal.FENCED, 4, signedMount(4), new byte[Signer.BYTES])))
        .isEmpty();
    Refused ofLaneOne = refused(1, Refusal.NO_SPACE, 0, new byte[0]);
    assertThat(
            members.from(
                0,
                new Refused(1, 0, 3, 1, Refusal.NO_SPACE, 0, new byte[0], ofLaneOne.signature())))
        .isEmpty();
    assertThat(members.from(0, refused(7, Refusal.NO_SPACE, 0, new byte[0]))).isEmpty();
  }

  @Test
  void aLogIsLostWhenAllItsMembersSaySoAndWhoSaysItAloneIsAccused() {
    members.mountAndWrite();
    List<SessionEffect> effects = members.from(0, refused(0, Refusal.LOST, 0, new byte[0]));
    assertThat(reports(effects)).as("the others may say the same").isEmpty();
    assertThat(reports(session.onTick(3 * RESEND)))
        .extracting(SessionEffect.Report::lane, SessionEffect.Report::wrong)
        .containsExactly(tuple(0, true));
    assertThat(reports(session.onTick(4 * RESEND))).as("once").isEmpty();
    List<Send> asked = effects.stream().filter(e -> e instanceof Send).map(e -> (Send) e).toList();
    assertThat(asked)
        .extracting(ScriptedMembers::lane)
        .as("whether others lack it too")
        .containsExactly(1, 2);
    assertThat(asked)
        .allSatisfy(s -> assertThat(((PageRequest) s.message()).prevNum()).isEqualTo(1));
    assertThat(reports(members.from(1, refused(1, Refusal.LOST, 1, new byte[0]))))
        .as("it has the seq")
        .extracting(SessionEffect.Report::lane)
        .containsExactly(1);
    assertThat(members.from(2, refused(2, Refusal.LOST, 0, new byte[0])))
        .noneMatch(e -> e instanceof SessionEffect.Ended);
    List<SessionEffect> lost = members.from(1, refused(1, Refusal.LOST, 0, new byte[0]));
    assertThat(lost).contains(new SessionEffect.WentBack(0, 1, true));
    assertThat(reports(lost))
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
            SIGNER,
            SessionConfig.defaults());
    List<SessionEffect> effects = new ArrayList<>();
    LogSummary whole =
        new LogSummary(
            new Durable(3, ZERO), 3, List.of(new Prepared(0, 1, 3, List.of(0, 1), ZERO)));
    for (int region = 0; region < 2; region++) {
      two.onRrs(region, 1, 3, 0);
      for (int lane = 0; lane < 3; lane++) {
        LogSummary its = region == 0 ? whole : new LogSummary(Durable.NOTHING, 0, List.of());
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

  @Test
  void closingWaitsForWhatIsOutstanding() {
    members.mount(ZERO);
    members.write(1);
    assertThat(session.close(0)).isEmpty();
    assertThat(members.write(2)).containsExactly(new SessionEffect.Failed(2, SessionError.CLOSED));
    members.from(0, commit(0, 1));
    members.from(1, commit(1, 1));
    assertThat(members.from(2, commit(2, 1)))
        .containsExactly(new SessionEffect.Done(1), new SessionEffect.Ended(SessionError.CLOSED));
  }

  @Test
  void whatIsNotAnsweredIsSentAgainAsItWas() {
    members.mount(ZERO);
    PutRequest first = put(members.write(1));
    PutRequest again = put(session.onTick(SessionConfig.defaults().resendAfterNanos()));
    assertThat(again.content()).isEqualTo(first.content());
  }

  /** On a slow link answers come late, and sending again makes them later. */
  @Test
  void nothingIsSentAgainWhileAnswersCome() {
    members.mount(ZERO);
    members.write(1);
    members.write(2);
    for (int lane = 0; lane < 3; lane++) {
      session.onMessage(member(lane), commit(lane, 1), null, RESEND - 1);
    }
    assertThat(session.onTick(RESEND)).as("the first was answered just now").isEmpty();
    assertThat(session.onTick(2 * RESEND - 1)).isEmpty();
    assertThat(put(session.onTick(2 * RESEND))).isNotNull();
  }
}
