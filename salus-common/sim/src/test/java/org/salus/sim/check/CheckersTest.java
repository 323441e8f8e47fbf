package org.salus.sim.check;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.effect.SessionError;
import org.salus.core.log.Durable;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRequest;
import org.salus.core.log.Permission;
import org.salus.core.log.Position;
import org.salus.core.log.Put;
import org.salus.core.log.SubBatch;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.check.Checker.Content;
import org.salus.sim.check.Checker.FileChange;

/**
 * Every checker fails on a history that breaks its property, and passes on a similar one that does
 * not.
 */
class CheckersTest {
  private static final RegionId REGION = new RegionId(1, 0);
  static final byte[] OLD = {1};
  static final byte[] NEW = {2};

  static List<Content> block(byte[] hash) {
    return List.of(new Content(5, hash));
  }

  static SubBatch batch(long mount, long seq) {
    return new SubBatch(
        mount,
        0,
        seq,
        seq,
        seq - 1,
        0,
        Durable.NOTHING,
        new SubBatch.Participants(0, List.of(0), List.of(1)),
        SubBatch.PrevLeader.NONE,
        false,
        new byte[32],
        List.of(new Put(seq, 5, 1, new byte[32])));
  }

  private static LogRecord record(SubBatch b, int crc) {
    return new LogRecord(
        new LogRequest(LogRecord.Type.PUT, new RegionId(1, 0), 1, b.encode(), crc),
        new Position(1, 100),
        0,
        new byte[0]);
  }

  @Test
  void freshnessFailsOnAnOldBlock() {
    Freshness c = new Freshness(new Prefix(false));
    c.mounted(1, 0);
    c.writeIssued(1, 1, block(OLD));
    c.writeIssued(1, 2, block(NEW));
    assertThatCode(() -> c.readDone(1, 3, block(NEW))).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.readDone(1, 3, block(OLD)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P1");
    assertThatThrownBy(() -> c.readDone(1, 3, block(null)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P1");
  }

  @Test
  void freshnessOverMountsFailsOnceANewerMountsWriteWasSeen() {
    FreshAcrossMounts c = new FreshAcrossMounts();
    c.writeIssued(2, 2, block(NEW));
    assertThatCode(() -> c.readDone(1, 3, block(OLD))).doesNotThrowAnyException();
    c.writeDone(2, 2, block(NEW), false);
    assertThatCode(() -> c.readDone(2, 3, block(OLD))).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.readDone(1, 3, block(OLD)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P1");
    c.powerCut();
    assertThatCode(() -> c.readDone(1, 3, block(OLD))).doesNotThrowAnyException();
    c.readDone(2, 4, block(NEW));
    assertThatThrownBy(() -> c.readDone(1, 5, block(OLD)))
        .as("a read has returned the write")
        .isInstanceOf(Violation.class);
  }

  @Test
  void orderedCommitFailsWhenALaneCommitsWhatItsDiskLacks() {
    OrderedCommit c = new OrderedCommit(region -> 3);
    c.sent(0, batch(1, 1), block(OLD));
    c.onDisk("a", List.of(0), record(batch(1, 1), 0));
    assertThatCode(() -> c.committed(0, 1, 1)).doesNotThrowAnyException();
    c.sent(0, batch(1, 2), block(NEW));
    assertThatThrownBy(() -> c.committed(0, 1, 2))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P2");
  }

  @Test
  void orderedCommitFailsWhenAWriteIsAcknowledgedOnTwoReplicas() {
    OrderedCommit c = new OrderedCommit(region -> 3);
    c.sent(0, batch(1, 1), block(OLD));
    c.onDisk("a", List.of(0), record(batch(1, 1), 0));
    c.onDisk("b", List.of(1), record(batch(1, 1), 0));
    assertThatThrownBy(() -> c.writeDone(1, 1, block(OLD), false))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P2");
    c.onDisk("c", List.of(2), record(batch(1, 1), 0));
    assertThatCode(() -> c.writeDone(1, 1, block(OLD), false)).doesNotThrowAnyException();
  }

  @Test
  void orderedCommitFailsWhenALogHoldsPutsOutOfOrder() {
    OrderedCommit c = new OrderedCommit(region -> 3);
    c.onDisk("a", List.of(0), record(batch(1, 1), 0));
    assertThatThrownBy(() -> c.onDisk("a", List.of(0), record(batch(1, 3), 0)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P2");
  }

  @Test
  void prefixFailsWhenAnAcknowledgedPutIsGone() {
    Prefix c = new Prefix(false);
    c.mounted(1, 0);
    c.sent(0, batch(1, 1), block(OLD));
    c.sent(0, batch(1, 2), block(NEW));
    c.writeDone(1, 1, block(OLD), false);
    assertThatThrownBy(() -> c.mounted(2, 0))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P3");
    assertThatThrownBy(() -> c.mounted(2, 7))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P3");
    assertThatCode(() -> c.mounted(2, 1)).doesNotThrowAnyException();
  }

  @Test
  void prefixAsksAfterAPowerCutForWhatIsFlushedSince() {
    for (boolean flushed : new boolean[] {true, false}) {
      Prefix c = new Prefix(false);
      c.mounted(1, 0);
      c.sent(0, batch(1, 1), block(OLD));
      c.powerCut();
      c.sent(0, batch(1, 2), block(NEW));
      c.writeDone(1, 1, block(NEW), false);
      c.flushIssued(1, 2);
      if (flushed) {
        c.flushDone(1, 2);
        assertThatThrownBy(() -> c.mounted(2, 1))
            .isInstanceOf(Violation.class)
            .hasMessageContaining("but 2 was acknowledged");
      } else {
        assertThatCode(() -> c.mounted(2, 1)).doesNotThrowAnyException();
      }
    }
  }

  @Test
  void prefixFailsWhenASeqChangesItsMeaning() {
    Prefix c = new Prefix(false);
    c.mounted(1, 0);
    c.sent(0, batch(1, 1), block(OLD));
    assertThatThrownBy(() -> c.sent(0, batch(1, 1), block(NEW)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("meaning");
  }

  @Test
  void unanimityFailsWhenTwoCertifiedRecordsShareAPlace() {
    Unanimity c = new Unanimity();
    c.onDisk("a", List.of(0), record(batch(1, 1), 7));
    assertThatCode(() -> c.onDisk("b", List.of(1), record(batch(1, 1), 7)))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> c.onDisk("c", List.of(2), record(batch(1, 1), 8)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P4");
  }

  @Test
  void unanimityFailsWhenTwoTreesDifferAsOfTheSameSeq() {
    Unanimity c = new Unanimity();
    c.rootTold("a", 0, 7, new byte[] {1});
    assertThatCode(() -> c.rootTold("b", 0, 7, new byte[] {1})).doesNotThrowAnyException();
    assertThatCode(() -> c.rootTold("b", 1, 7, new byte[] {2})).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.rootTold("c", 0, 7, new byte[] {2}))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P4");
  }

  @Test
  void unanimityForgetsTreesOnlyAboveWhatAMountFindsAfterAPowerCut() {
    Unanimity c = new Unanimity();
    c.rootTold("a", 0, 7, new byte[] {1});
    c.mounted(1, 6);
    assertThatThrownBy(() -> c.rootTold("b", 0, 7, new byte[] {2})).isInstanceOf(Violation.class);
    c.powerCut();
    c.rootTold("a", 0, 8, new byte[] {1});
    c.mounted(2, 7);
    assertThatCode(() -> c.rootTold("b", 0, 8, new byte[] {2})).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.rootTold("b", 0, 7, new byte[] {2}))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("as of 7");
  }

  @Test
  void singleWriterFailsWhenAFencedMountIsAcknowledged() {
    SingleWriter c = new SingleWriter();
    c.mounted(1, 0);
    c.sent(0, batch(1, 1), block(OLD));
    c.sent(0, batch(1, 2), block(NEW));
    c.mounted(2, 1);
    assertThatCode(() -> c.writeDone(1, 1, block(OLD), false)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.writeDone(1, 2, block(NEW), false))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P6");
  }

  @Test
  void orderedCommitAsksForNothingInALaneThatAWrongMemberSpoils() {
    OrderedCommit c = new OrderedCommit(region -> 1);
    c.sent(0, batch(1, 1), block(OLD));
    assertThatThrownBy(() -> c.committed(1, 1, 1))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P2");
    c.spoiled(1);
    assertThatCode(() -> c.committed(1, 1, 1)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.writeDone(1, 1, block(OLD), false))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P2");
  }

  private static FileChange deletion(int recordEpoch, List<String> signers) {
    Signer signer = new Signer(new byte[0]);
    LogRecord r =
        new LogRecord(
            LogRecord.Type.MANIFEST, REGION, recordEpoch, new Position(2, 0), new byte[0]);
    List<byte[]> signatures = signers.stream().map(n -> signer.sign(n, r.headerBuffer())).toList();
    return new FileChange(
        REGION,
        Permission.Deed.DELETE,
        FilePath.Kind.LOG,
        1,
        Permission.FileState.WITH_BLOCK,
        new Permission(r, signatures),
        3,
        List.of("a", "b", "c"));
  }

  @Test
  void noSpuriousChangeFailsWithoutTheSignatureOfEveryMemberOfTheCurrentEpoch() {
    NoSpuriousChange c = new NoSpuriousChange(new Signer(new byte[0]));
    assertThatCode(() -> c.fileChanged(deletion(3, List.of("a", "b", "c"))))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> c.fileChanged(deletion(2, List.of("a", "b", "c"))))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P5");
    assertThatThrownBy(() -> c.fileChanged(deletion(3, List.of("a", "b"))))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P5");
    assertThatThrownBy(() -> c.fileChanged(deletion(3, List.of("a", "a", "a"))))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P5");
  }

  @Test
  void onlyDoubtTakesEffectFailsWhenAWriteThatWasSentFailsWithoutDoubt() {
    OnlyDoubtTakesEffect c = new OnlyDoubtTakesEffect();
    c.writeIssued(1, 4, block(OLD));
    c.writeIssued(1, 5, block(NEW));
    assertThatCode(() -> c.requestFailed(1, 4, SessionError.FENCED, false))
        .as("nothing was sent")
        .doesNotThrowAnyException();
    c.sent(0, batch(1, 1), block(NEW));
    assertThatCode(() -> c.requestFailed(1, 5, SessionError.FENCED, true))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> c.requestFailed(1, 5, SessionError.FENCED, false))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P10");
  }

  @Test
  void onlyDoubtTakesEffectFailsWhenAWriteIsSentThatHasFailedWithoutDoubt() {
    OnlyDoubtTakesEffect c = new OnlyDoubtTakesEffect();
    c.writeIssued(1, 5, block(NEW));
    c.requestFailed(1, 5, SessionError.NO_SPACE, false);
    assertThatCode(() -> c.sent(0, batch(2, 1), block(NEW)))
        .as("the next mount may write the same")
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> c.sent(0, batch(1, 1), block(NEW)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P10");
  }

  @Test
  void livenessFailsWhenARequestFailsOrIsNeverDone() {
    Liveness c = new Liveness();
    assertThatThrownBy(() -> c.sessionEnded(1, SessionError.FENCED))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
    c.fenced(2);
    assertThatCode(() -> c.requestFailed(1, 1, SessionError.FENCED, true))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> c.sessionEnded(2, SessionError.FENCED))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
    assertThatThrownBy(() -> c.requestFailed(1, 1, SessionError.TIMED_OUT, true))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
    assertThatThrownBy(() -> c.sessionEnded(1, SessionError.INTEGRITY))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
    assertThatThrownBy(() -> c.stuck("not done"))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
  }

  @Test
  void quietWhenFullFailsWhenAUsersWritesEndOneSessionAfterTheOther() {
    QuietWhenFull c = new QuietWhenFull();
    c.sessionEnded("a", 1, SessionError.NO_SPACE);
    c.sessionEnded("b", 2, SessionError.NO_SPACE);
    c.sessionEnded("a", 3, SessionError.FENCED);
    c.roomChanged();
    c.sessionEnded("a", 4, SessionError.NO_SPACE);
    assertThatThrownBy(() -> c.sessionEnded("a", 5, SessionError.NO_SPACE))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("quiet when full");
  }

  @Test
  void reserveLastsRefusesMoreRefusalsInARegionThanPausesAllow() {
    ReserveLasts c = new ReserveLasts(block -> (int) (block % 2));
    for (int i = 0; i < 5 * ReserveLasts.MOST; i++) {
      c.ranOut("a", 0);
      c.writeDone(1, i, List.of(new Content(4, new byte[32])), false);
      c.ranOut("a", 1);
      c.serves(1, i);
    }
    for (int i = 0; i < ReserveLasts.MOST; i++) {
      c.ranOut("a", 0);
      c.writeDone(1, i, List.of(new Content(4, null), new Content(3, new byte[32])), false);
    }
    assertThatThrownBy(() -> c.ranOut("a", 0))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("reserve lasts");
  }

  @Test
  void nothingLeftRefusesAHandleThatZooKeeperStillKnows() {
    NothingLeft c = new NothingLeft();
    c.handleDone("a", false);
    assertThatThrownBy(() -> c.handleDone("b", true))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("nothing left");
  }

  @Test
  void overtakenByUsersFailsIfOnlyTheMasterHadTheVolume() {
    OvertakenByUsers c = new OvertakenByUsers();
    assertThatCode(() -> c.overtaken("a", true)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.overtaken("a", false))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("no user had the volume");
    assertThatCode(() -> c.goesOn("a", false)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.goesOn("a", true))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("though another had the volume");
  }

  @Test
  void oneChainFailsOnAnEpochThatIsNotTheMastersOrDoesNotFollow() {
    Signer signer = new Signer(new byte[0]);
    OneChain c = new OneChain(signer);
    EpochLink first = EpochLink.first(REGION, 1, members("a", "b"), members("a", "b"), signer);
    EpochLink next = first.next(2, members("b", "c"), signer);
    EpochLink apart = EpochLink.first(REGION, 4, members("b"), members("b"), signer);
    EpochRegister served = new EpochRegister(first, first, LogBefore.NONE);
    assertThatCode(
            () -> {
              c.epochKnown(
                  0, new EpochRegister(null, first, LogBefore.NONE), served, serves(first, signer));
              c.epochKnown(
                  0,
                  new EpochRegister(first, next, LogBefore.NONE),
                  new EpochRegister(next, next, LogBefore.NONE),
                  serves(next, signer));
            })
        .doesNotThrowAnyException();
    assertThatThrownBy(
            () ->
                c.epochKnown(
                    0,
                    new EpochRegister(null, first, LogBefore.NONE),
                    served,
                    serves(next, signer)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("not all members");
    assertNotOneChain(
        c,
        new EpochRegister(first, apart, LogBefore.NONE),
        new EpochRegister(apart, apart, LogBefore.NONE));
    assertNotOneChain(
        c,
        new EpochRegister(first, next, LogBefore.NONE),
        new EpochRegister(first, first, LogBefore.NONE));
    EpochLink forged =
        new EpochLink(
            REGION,
            5,
            members("b"),
            members("a", "b"),
            1,
            first.signature(),
            Waiver.TIME_IS_OVER,
            first.signature());
    assertNotOneChain(c, served, new EpochRegister(first, forged, LogBefore.NONE));
  }

  @Test
  void apartFailsOnAMachineWithSomethingOfTwoMembers() {
    assertThatCode(() -> known(member("a", "a"), member("b", "x"), member("c", "y")))
        .doesNotThrowAnyException();
    assertNotApart(member("a", "a"), member("b", "a"));
    assertNotApart(member("b", "a"), member("a", "x"));
    assertNotApart(member("a", "x"), member("b", "x"));
  }

  private static RrsRecord.Member member(String node, String dataNode) {
    return new RrsRecord.Member(node, 1, dataNode);
  }

  private static void known(RrsRecord.Member... members) {
    EpochLink link =
        EpochLink.first(REGION, 1, List.of(members), List.of(members), new Signer(new byte[0]));
    new Apart()
        .epochKnown(
            0, EpochRegister.NONE, new EpochRegister(null, link, LogBefore.NONE), new byte[1]);
  }

  private static void assertNotApart(RrsRecord.Member... members) {
    assertThatThrownBy(() -> known(members))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P13");
  }

  private static List<RrsRecord.Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new RrsRecord.Member(n, 1, n)).toList();
  }

  private static byte[] serves(EpochLink link, Signer signer) {
    LogRecord manifest =
        new LogRecord(
            LogRecord.Type.MANIFEST, REGION, link.epoch(), new Position(1, 0), new byte[0]);
    List<byte[]> all =
        link.nodes().stream().map(n -> signer.sign(n, manifest.headerBuffer())).toList();
    return EpochRegister.serves(
        new WrittenManifest(
            manifest.permission(all),
            link.nodes().stream().map(n -> WrittenManifest.word(manifest, n, signer)).toList()));
  }

  private static void assertNotOneChain(OneChain c, EpochRegister before, EpochRegister after) {
    assertThatThrownBy(() -> c.epochKnown(0, before, after, new byte[1]))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P9");
  }

  @Test
  void livenessExcusesNothingAfterTheFaultsHaveStopped() {
    Liveness c = new Liveness();
    c.excused(SessionError.NO_SPACE);
    assertThatCode(() -> c.sessionEnded(1, SessionError.NO_SPACE)).doesNotThrowAnyException();
    c.faultsStopped();
    assertThatThrownBy(() -> c.sessionEnded(1, SessionError.NO_SPACE))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P7");
  }

  @Test
  void refusalFailsOnABlockThatWasNeverWrittenOrIsOlderThanWhatTheMountHasWritten() {
    NoWrongData c = new NoWrongData();
    c.beyondPromise();
    c.writeIssued(1, 1, block(OLD));
    c.writeIssued(2, 2, block(NEW));
    assertThatCode(() -> c.readDone(2, 3, block(OLD))).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.readDone(2, 3, block(new byte[] {9})))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P8");
    c.writeDone(2, 2, block(NEW), false);
    assertThatCode(() -> c.readDone(2, 3, block(NEW))).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.readDone(2, 3, block(OLD)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P8");
    assertThatThrownBy(() -> c.readDone(2, 3, block(null)))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P8");
  }

  @Test
  void beyondThePromiseAcknowledgedWritesMayBeLostButNothingElseMayBeThere() {
    Prefix c = new Prefix(false);
    c.beyondPromise();
    c.mounted(1, 0);
    c.sent(0, batch(1, 1), block(OLD));
    c.writeDone(1, 1, block(OLD), false);
    assertThatCode(() -> c.mounted(2, 0)).doesNotThrowAnyException();
    assertThatThrownBy(() -> c.mounted(3, 7))
        .isInstanceOf(Violation.class)
        .hasMessageContaining("P3");
  }
}
