package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogState;
import org.salus.core.log.OpenBody;
import org.salus.core.log.Position;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.Opening;
import org.salus.core.message.OpeningPhase;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.LogScan;

class OpeningDriverTest {
  private static final int EPOCH = 7;
  private static final long SECOND = 1_000_000_000;
  private static final SegmentEnd AGREED = new SegmentEnd(3, 700);

  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);

  private RegionMember member(int place) {
    return new RegionMember(
        spec,
        new Seat(spec.regionId(0), EPOCH, List.of("a", "b", "c"), place),
        new Signer(new byte[0]),
        new MemberConfig(1_000_000_000, 4));
  }

  private Endpoint.Member at(int place) {
    return new Endpoint.Member(spec.regionId(0), place);
  }

  private static <M extends Message> List<M> sent(List<MemberEffect> effects, Class<M> kind) {
    return effects.stream()
        .filter(Send.class::isInstance)
        .map(e -> ((Send) e).message())
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }

  /**
   * A server may learn of the epoch before M0's server does, and then tells M0 its ends too early.
   */
  @Test
  void whatM0CouldNotHearYetItIsToldWhenItCan() {
    RegionMember early = member(1);
    early.start(0);
    assertThat(sent(early.onScanned(new LogScan().found(), 0), LogEnds.class)).hasSize(1);
    RegionMember late = member(0);
    late.start(1);
    List<Opening> told = sent(late.onScanned(new LogScan().found(), 1), Opening.class);
    assertThat(told).as("M0 to both").hasSize(2).allMatch(m -> m.phase() == OpeningPhase.AGREEING);
    assertThat(sent(early.onMessage(at(0), told.get(0), null, 1), LogEnds.class))
        .as("before the period is over")
        .hasSize(1);
  }

  @Test
  void whoHasNotReadItsLogYetHasNothingToTell() {
    RegionMember slow = member(1);
    slow.start(0);
    assertThat(slow.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.AGREEING, 1), null, 1))
        .isEmpty();
  }

  /** The NameNode has told every right member how much of the log counts. */
  @Test
  void whoClaimsMoreOfTheLogThanWasCertifiedIsSuspected() {
    RegionMember m = member(0);
    m.start(0);
    List<SegmentEnd> ends = List.of(AGREED, new SegmentEnd(4, 50));
    LogBefore before = new LogBefore(5, 4, List.of(AGREED));
    m.onScanned(new LogScan.Found(ends, List.of(), List.of(), before), 0);
    m.onMessage(at(1), new LogEnds(EPOCH, 1, ends, List.of()), null, 0);
    List<SegmentEnd> more = List.of(new SegmentEnd(3, 701), new SegmentEnd(4, 50));
    List<MemberEffect> effects =
        m.onMessage(at(2), new LogEnds(EPOCH, 2, more, List.of()), null, 0);
    assertThat(effects).noneMatch(Send.class::isInstance);
    assertThat(effects)
        .filteredOn(MemberEffect.Suspect.class::isInstance)
        .extracting(e -> ((MemberEffect.Suspect) e).place())
        .containsExactly(2);
  }

  private LogRecord open() {
    OpenBody body = new OpenBody(List.of("a", "b", "c"), List.of(AGREED), 4);
    return new LogRecord(
        LogRecord.Type.OPEN,
        spec.regionId(0),
        EPOCH,
        new Position(4, OpeningDriver.OPEN_OFFSET),
        body.encode());
  }

  /** A wrong member sends M0's certificate to another one. */
  @Test
  void onlyM0RecoversByTheCertificateOfTheAgreement() {
    RegionMember m = member(1);
    m.start(0);
    m.onScanned(new LogScan.Found(List.of(AGREED), List.of(), List.of(), LogBefore.NONE), 0);
    LogRecord open = open();
    List<byte[]> signatures =
        Stream.of("a", "b", "c")
            .map(node -> new Signer(new byte[0]).sign(node, open.headerBuffer()))
            .toList();
    m.onMessage(at(0), new Message.Chain(open.header(), signatures.subList(0, 1)), null, 0);
    Message.Certified certified =
        new Message.Certified(EPOCH, open.at().segment(), OpeningDriver.OPEN_OFFSET, signatures);
    assertThat(m.onMessage(at(2), certified, null, 0)).isEmpty();
    assertThat(m.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.REPLAYING, 1), null, 0))
        .contains(new MemberEffect.ReplayLog(List.of(AGREED), null, List.of(AGREED)));
  }

  /** A member of the epoch that has agreed where segment 3 ends, and hears that M0 is done. */
  private RegionMember replaying(int place) {
    RegionMember m = member(place);
    m.start(0);
    m.onScanned(new LogScan.Found(List.of(AGREED), List.of(), List.of(), LogBefore.NONE), 0);
    LogRecord open = open();
    byte[] ofM0 = new Signer(new byte[0]).sign("a", open.headerBuffer());
    m.onMessage(at(0), new Message.Chain(open.header(), List.of(ofM0)), null, 0);
    assertThat(m.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.REPLAYING, 1), null, 0))
        .contains(new MemberEffect.ReplayLog(List.of(AGREED), null, List.of(AGREED)));
    return m;
  }

  /** A wrong M0 may have had it agreed on: what stands there is certified. */
  @Test
  void aSegmentOfAnEpochThatNeverServedIsNoLog() {
    RegionMember m = member(1);
    m.start(0);
    LogBefore before = new LogBefore(5, 1, List.of());
    m.onScanned(new LogScan.Found(List.of(new SegmentEnd(3, 0)), List.of(), List.of(), before), 0);
    LogRecord open = open();
    byte[] ofM0 = new Signer(new byte[0]).sign("a", open.headerBuffer());
    m.onMessage(at(0), new Message.Chain(open.header(), List.of(ofM0)), null, 0);
    m.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.REPLAYING, 1), null, 0);
    byte[] manifest = new LogState().manifest(List.of("a", "b"), List.of()).encode();
    m.onReplay(
        new LogRecord(LogRecord.Type.MANIFEST, spec.regionId(0), 6, new Position(3, 0), manifest),
        0);
    m.onOwnReplica(new OwnReplica(3, false, 700, 700), 0);
    assertThat(m.onReplayed(0))
        .filteredOn(Stalled.class::isInstance)
        .extracting(e -> ((Stalled) e).lane())
        .containsExactly(0);
  }

  private static List<Opening> replayed(RegionMember m, long length, long valid) {
    m.onOwnReplica(new OwnReplica(AGREED.segment(), false, length, valid), 0);
    return sent(m.onReplayed(0), Opening.class);
  }

  @Test
  void whoseReplicaIsEqualHasReplayed() {
    RegionMember m = replaying(1);
    assertThat(replayed(m, AGREED.length(), AGREED.length()))
        .allMatch(told -> told.phase() == OpeningPhase.REPLAYED)
        .hasSize(1);
    assertThat(replayed(m, AGREED.length(), AGREED.length())).as("only once").isEmpty();
  }

  @Test
  void whomRecoveryHasLeftBehindLooksAgainAndThenComplainsOfM0() {
    RegionMember m = replaying(1);
    assertThat(replayed(m, OwnReplica.ABSENT, 0)).isEmpty();
    assertThat(replayed(m, AGREED.length() - 1, AGREED.length() - 1)).isEmpty();
    List<MemberEffect> effects = m.onTick(SECOND);
    assertThat(effects)
        .contains(new MemberEffect.ReplayLog(List.of(), null, List.of(AGREED)))
        .noneMatch(Stalled.class::isInstance);
    assertThat(m.onTick(2 * SECOND))
        .as("one look at a time")
        .noneMatch(MemberEffect.ReplayLog.class::isInstance);
    long now = 2 * SECOND;
    while (effects.stream().noneMatch(Stalled.class::isInstance)) {
      assertThat(now).isLessThan(60 * SECOND);
      now += SECOND;
      m.onReplayed(now); // it could not look
      m.onMessage(at(0), new Opening(EPOCH, 0, OpeningPhase.REPLAYING, 7), null, now);
      m.onMessage(at(2), new Opening(EPOCH, 2, OpeningPhase.REPLAYING, 7), null, now);
      effects = m.onTick(now);
    }
    assertThat(effects)
        .filteredOn(Stalled.class::isInstance)
        .allMatch(e -> ((Stalled) e).lane() == 0 && ((Stalled) e).what().contains("left behind"));
    assertThat(replayed(m, AGREED.length(), AGREED.length())).as("equal at last").hasSize(1);
  }

  @Test
  void whoseReplicaWasFilledUpWithNoLogDoesNotSign() {
    RegionMember m = replaying(1);
    m.onOwnReplica(new OwnReplica(AGREED.segment(), false, AGREED.length(), 400), 0);
    assertThat(m.onReplayed(0))
        .singleElement()
        .isInstanceOfSatisfying(
            MemberEffect.Unable.class, e -> assertThat(e.why()).contains("from byte 400"));
  }

  @Test
  void aMemberWhoseDataNodeHoldsUpRecoveryIsAskedAgainAndThenNamed() {
    RegionMember m0 = member(0);
    m0.start(0);
    assertThat(m0.onBehind(List.of(2, 1), 0)).isEmpty();
    assertThat(m0.onBehind(List.of(2), 19 * SECOND)).isEmpty();
    m0.onRecovered(false, 19 * SECOND);
    assertThat(m0.onBehind(List.of(2), 20 * SECOND)).as("another reason between").isEmpty();
    assertThat(m0.onBehind(List.of(2), 40 * SECOND))
        .singleElement()
        .isInstanceOfSatisfying(Stalled.class, e -> assertThat(e.lane()).isEqualTo(2));
  }
}
