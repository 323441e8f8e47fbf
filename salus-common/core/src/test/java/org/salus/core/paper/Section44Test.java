package org.salus.core.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.paper.PaperVolume.MEMBERS;
import static org.salus.core.paper.PaperVolume.at;
import static org.salus.core.paper.PaperVolume.block;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogRecord;
import org.salus.core.log.OpenBody;
import org.salus.core.log.Position;
import org.salus.core.log.Relied;
import org.salus.core.log.ResolveBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.member.Seat;
import org.salus.core.message.Message.Acknowledged;
import org.salus.core.message.Message.Chain;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.ResolveRequest;
import org.salus.core.message.Message.Vote;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.MemberChoice;
import org.salus.core.replacement.Suspicions;
import org.salus.core.scan.LogScan;
import org.salus.core.wire.MalformedException;

/** Section 4.4 of the paper: recovery. */
class Section44Test {
  private static final int NEXT_EPOCH = PaperVolume.EPOCH + 1;

  private final PaperVolume volume = new PaperVolume(2);

  // ---- phase 1: remap ----

  @Test
  void s44_phase1_aReplacementKeepsAHolderOfTheData() {
    MemberChoice choice = new MemberChoice(Suspicions.NONE);
    for (int epoch = 8; epoch < 12; epoch++) {
      choice.ended(epoch, 7, List.of("a", "d", "e"), Cause.FAILED, "a");
    }
    assertThat(choice.members(List.of("a"), () -> Stream.of("d", "e", "f"), 3, 2))
        .as("spares alone have nothing of the region")
        .contains("a");
  }

  // ---- phase 2: recover the region log ----

  /** A member of the next epoch that has read a replica of segment 1 up to {@code length}. */
  private RegionMember reopened(int place, long length) {
    RegionMember m =
        new RegionMember(
            volume.spec,
            new Seat(volume.spec.regionId(0), NEXT_EPOCH, MEMBERS, place),
            volume.signer,
            new MemberConfig(Long.MAX_VALUE, 4));
    m.start(0);
    m.onScanned(
        new LogScan.Found(List.of(new SegmentEnd(1, length)), List.of(), List.of(), LogBefore.NONE),
        0);
    return m;
  }

  private LogEnds told(int place, long length) {
    return new LogEnds(NEXT_EPOCH, place, List.of(new SegmentEnd(1, length)), List.of());
  }

  @Test
  void s44_phase2_theLongestValidLogIsChosen() throws MalformedException {
    RegionMember m0 = reopened(0, 1024);
    assertThat(volume.chains(m0.onMessage(at(0, 1), told(1, 2048), null, 0)))
        .as("one member has not told yet")
        .isEmpty();
    Chain open = volume.chains(m0.onMessage(at(0, 2), told(2, 512), null, 0)).get(0);
    assertThat(OpenBody.decode(LogRecord.decode(open.header()).content()).recovered())
        .containsExactly(new SegmentEnd(1, 2048));
  }

  @Test
  void s44_phase2_noMemberSignsAnEndThatLosesWhatItHas() {
    assertThat(volume.chains(reopened(1, 1024).onMessage(at(0, 0), open(2048), null, 0)))
        .hasSize(1);
    assertThat(volume.chains(reopened(1, 4096).onMessage(at(0, 0), open(2048), null, 0))).isEmpty();
  }

  /** M0's proposal to M1 of where the log ends. */
  private Chain open(long length) {
    OpenBody body = new OpenBody(MEMBERS, List.of(new SegmentEnd(1, length)), 2);
    LogRecord r =
        new LogRecord(
            LogRecord.Type.OPEN,
            volume.spec.regionId(0),
            NEXT_EPOCH,
            new Position(2, -1),
            body.encode());
    return new Chain(r.header(), List.of(volume.signer.sign(MEMBERS.get(0), r.headerBuffer())));
  }

  @Test
  void s44_phase2_theValidLogEndsBeforeTheFirstRecordThatItsCertificateDoesNotCover() {
    volume.write(block(0, 3), 1);
    volume.write(block(0, 4), 2);
    byte[] replica = volume.replica(0, 0);
    List<LogRecord> whole = volume.log(0, replica);
    LogRecord first =
        whole.stream().filter(r -> r.type() == LogRecord.Type.PUT).findFirst().orElseThrow();
    replica[(int) first.payloadOffset()] ^= 1;
    assertThat(volume.log(0, replica))
        .hasSize(whole.size() - 2)
        .noneMatch(r -> r.type() == LogRecord.Type.PUT);
  }

  // ---- phase 3: identify the longest committable prefix ----

  @Test
  void s44_phase3_thePrefixHasWhatIsPreparedThoughNobodyHasCommittedIt() {
    volume.hold(s -> s.is(Vote.class) || s.is(Commit.class));
    long write = volume.writeOverBoth(5);
    assertThat(volume.isDone(write)).isFalse();
    volume.lose();
    volume.mount();
    assertThat(volume.session.mountedPrefix()).isEqualTo(2);
    assertThat(volume.value(volume.read(block(1, 0)))).isEqualTo(5);
  }

  @Test
  void s44_phase3_thePrefixEndsBeforeABatchThatAParticipantLacks() {
    volume.hold(s -> s.is(PutRequest.class) && s.isTo(0, 0));
    volume.writeOverBoth(5);
    assertThat(volume.puts(1, 0)).as("prepared in one of two regions").isEqualTo(1);
    volume.lose();
    volume.mount();
    assertThat(volume.session.mountedPrefix()).isZero();
    assertThat(volume.value(volume.read(block(1, 0)))).isZero();
  }

  @Test
  void s44_phase3_thePrefixEndsAtAGapThoughLaterBatchesArePrepared() {
    volume.write(block(0, 3), 1);
    volume.hold(s -> s.is(PutRequest.class) && s.isTo(0, 0));
    volume.write(block(0, 4), 2);
    volume.write(block(1, 3), 3);
    assertThat(volume.puts(1, 0)).as("prepared").isEqualTo(1);
    volume.lose();
    volume.mount();
    assertThat(volume.session.mountedPrefix()).isEqualTo(1);
  }

  // ---- phase 4: rebuild the volume ----

  @Test
  void s44_phase4_everyRegionCommitsThePrefixAndDiscardsTheRest() throws MalformedException {
    volume.hold(s -> s.is(PutRequest.class) && s.isTo(0, 0));
    volume.write(block(0, 4), 2);
    volume.write(block(1, 3), 3);
    volume.lose();
    volume.mount();
    List<ResolveRequest> resolved = volume.sent(ResolveRequest.class);
    assertThat(ResolveBody.decode(resolved.get(resolved.size() - 1).content()).prefix()).isZero();
    long write = volume.write(block(1, 4), 4);
    assertThat(volume.isDone(write)).as("the next write is next in its region").isTrue();
    volume.mount();
    assertThat(volume.value(volume.read(block(1, 3)))).as("discarded for good").isZero();
    assertThat(volume.value(volume.read(block(1, 4)))).isEqualTo(4);
  }

  @Test
  void s44_anOlderMountIsFenced() {
    volume.hold(s -> s.is(PutRequest.class));
    volume.write(block(0, 3), 1);
    PaperVolume.Sent put =
        volume.sent.stream().filter(s -> s.is(PutRequest.class)).findFirst().orElseThrow();
    volume.mount();
    volume.release();
    assertThat(volume.puts(0, 0)).isZero();
    assertThat(volume.sent)
        .anyMatch(
            s ->
                s.message() instanceof Refused r
                    && r.why() == Refusal.FENCED
                    && s.to().equals(put.from()));
  }

  /** The session tells the new members what they must have, and that must not grow any more. */
  @Test
  void s44_whatMembersCommitWhileTheNextEpochOpensDoesNotCount() {
    volume.write(block(0, 1), 1);
    volume.hold(s -> s.is(Commit.class));
    long write = volume.write(block(0, 3), 1);
    volume.perform(volume.session.onOpening(0, NEXT_EPOCH, MEMBERS.size(), 0));
    volume.release();
    assertThat(volume.isDone(write)).isFalse();
    assertThat(volume.sent)
        .filteredOn(s -> s.message() instanceof Acknowledged a && a.epoch() == NEXT_EPOCH)
        .extracting(s -> (Acknowledged) s.message())
        .allMatch(a -> a.epoch() == NEXT_EPOCH && a.relied().equals(new Relied(1, 1, 1, 1)))
        .hasSize(MEMBERS.size());
  }

  @Test
  void s44_whatMembersCommittedBeforeAReplacementDoesNotCountAfterIt() {
    volume.hold(s -> s.is(Commit.class));
    long write = volume.write(block(0, 3), 1);
    volume.perform(volume.session.onRrs(0, NEXT_EPOCH, MEMBERS.size(), 0));
    volume.release();
    assertThat(volume.isDone(write)).isFalse();
  }
}
