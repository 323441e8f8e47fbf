package org.salus.core.paper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.salus.core.paper.PaperVolume.at;
import static org.salus.core.paper.PaperVolume.block;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Refusal;
import org.salus.core.Signer;
import org.salus.core.log.SubBatch;
import org.salus.core.message.Message.Abort;
import org.salus.core.message.Message.Commit;
import org.salus.core.message.Message.ConfirmQuery;
import org.salus.core.message.Message.GetReply;
import org.salus.core.message.Message.GetRequest;
import org.salus.core.message.Message.PutRequest;
import org.salus.core.message.Message.Refused;
import org.salus.core.message.Message.Vote;
import org.salus.core.wire.MalformedException;

/** Section 4.1 of the paper: pipelined commit. */
class Section41Test {
  private final PaperVolume volume = new PaperVolume(2);

  private List<SubBatch> subBatches() throws MalformedException {
    List<SubBatch> all = new ArrayList<>();
    for (PutRequest p : volume.sent(PutRequest.class)) {
      all.add(SubBatch.decode(p.content()));
    }
    return all;
  }

  private static boolean isOfSeq(PutRequest p, long seq) {
    try {
      return SubBatch.decode(p.content()).first() == seq;
    } catch (MalformedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void s41_pc1_theClientSendsEachParticipantItsPartAndNamesTheLeader() throws MalformedException {
    volume.writeOverBoth(1);
    assertThat(subBatches())
        .hasSize(2)
        .allSatisfy(
            b -> {
              assertThat(b.participants().regions()).containsExactly(0, 1);
              assertThat(b.participants().regions()).contains(b.participants().leader());
              assertThat(b.puts()).hasSize(1);
            });
    assertThat(subBatches().stream().map(b -> b.participants().leader()).distinct()).hasSize(1);
  }

  @Test
  void s41_pc1_theNextBatchNamesTheLeaderOfTheBatchBefore() throws MalformedException {
    volume.hold(s -> s.is(Commit.class));
    volume.write(block(1, 3), 1);
    volume.write(block(0, 3), 2);
    assertThat(subBatches().get(0).participants().leader()).isEqualTo(1);
    assertThat(subBatches().get(1).prevLeader().region()).isEqualTo(1);
  }

  @Test
  void s41_prevNum_aPutNamesTheLastPutThatWasSentToItsRegion() throws MalformedException {
    volume.write(block(0, 3), 1);
    volume.write(block(1, 3), 2);
    volume.write(block(0, 3), 3);
    assertThat(subBatches()).extracting(SubBatch::prevNum).containsExactly(0L, 0L, 1L);
  }

  @Test
  void s41_pc2_aRegionTakesOnlyThePutThatPrevNumSaysIsNext() {
    volume.hold(s -> s.message() instanceof PutRequest p && isOfSeq(p, 1));
    volume.write(block(0, 3), 1);
    volume.write(block(0, 4), 2);
    assertThat(volume.puts(0, 0)).as("the first has not come").isZero();
    assertThat(volume.sent(Refused.class)).extracting(Refused::why).contains(Refusal.OUT_OF_ORDER);
  }

  @Test
  void s41_pc2_aRegionTakesOnlyWhatTheClientHasSigned() {
    volume.alter(
        s ->
            s.message() instanceof PutRequest p
                ? new PaperVolume.Sent(
                    s.from(),
                    s.to(),
                    new PutRequest(p.epoch(), p.content(), p.payloadCrc(), new byte[Signer.BYTES]),
                    s.payload())
                : s);
    long write = volume.write(block(0, 3), 1);
    assertThat(volume.puts(0, 0)).isZero();
    assertThat(volume.isDone(write)).isFalse();
    assertThat(volume.sent(Refused.class)).extracting(Refused::why).contains(Refusal.DAMAGED);
  }

  @Test
  void s41_pc2_aRegionTakesNothingThatWasMeantForAnother() {
    List<PaperVolume.Sent> parts = new ArrayList<>();
    volume.alter(
        s -> {
          if (!(s.message() instanceof PutRequest p)) {
            return s;
          }
          parts.add(s);
          PutRequest first = (PutRequest) parts.get(0).message();
          return new PaperVolume.Sent(
              s.from(),
              s.to(),
              new PutRequest(p.epoch(), first.content(), first.payloadCrc(), first.signature()),
              parts.get(0).payload());
        });
    long write = volume.writeOverBoth(1);
    assertThat(volume.puts(0, 0)).isEqualTo(1);
    assertThat(volume.puts(1, 0)).isZero();
    assertThat(volume.isDone(write)).isFalse();
    assertThat(volume.sent(Refused.class)).extracting(Refused::why).contains(Refusal.DAMAGED);
  }

  @Test
  void s41_pc2_aMemberVotesOnlyAfterThePutIsDurable() {
    volume.stallDisk(1, 0);
    volume.writeOverBoth(1);
    assertThat(volume.sent).noneMatch(s -> s.is(Vote.class) && s.isFrom(1, 0));
    assertThat(volume.sent).anyMatch(s -> s.is(Vote.class) && s.isFrom(1, 1));
    volume.wakeDisk(1, 0);
    assertThat(volume.sent).anyMatch(s -> s.is(Vote.class) && s.isFrom(1, 0));
  }

  @Test
  void s41_pc3_theLeaderCommitsOnlyWhenAllParticipantsHaveVotedYes() {
    volume.hold(s -> s.is(Vote.class));
    long write = volume.writeOverBoth(1);
    assertThat(volume.puts(0, 0)).as("prepared").isEqualTo(1);
    assertThat(volume.sent(Commit.class)).isEmpty();
    volume.release();
    assertThat(volume.sent(Commit.class)).isNotEmpty();
    assertThat(volume.isDone(write)).isTrue();
  }

  @Test
  void s41_pc3_theLeaderCommitsOnlyWhenTheBatchBeforeIsConfirmed() {
    for (int place = 0; place < 3; place++) {
      volume.stallDisk(0, place);
    }
    volume.write(block(0, 3), 1);
    volume.write(block(1, 3), 2);
    assertThat(volume.puts(1, 0)).as("prepared").isEqualTo(1);
    assertThat(volume.sent).anyMatch(s -> s.is(ConfirmQuery.class) && s.isTo(0, 0));
    assertThat(volume.sent(Commit.class)).isEmpty();
    for (int place = 0; place < 3; place++) {
      volume.wakeDisk(0, place);
    }
    assertThat(volume.sent).anyMatch(s -> s.is(Commit.class) && s.isFrom(1, 0));
  }

  @Test
  void s41_pc3_aSignedNoMakesTheLeaderAbort() {
    volume.hold(s -> s.is(Vote.class));
    volume.writeOverBoth(1);
    int leader = volume.sent(Vote.class).get(0).region() == 0 ? 1 : 0;
    int voter = 1 - leader;
    Vote yes = volume.sent(Vote.class).stream().filter(v -> v.lane() == 0).findFirst().get();
    Vote no =
        new Vote(
            voter,
            yes.epoch(),
            0,
            leader,
            yes.mountEpoch(),
            yes.view(),
            yes.first(),
            yes.last(),
            yes.root(),
            Refusal.DAMAGED,
            new byte[0]);
    volume.forge(
        at(voter, 0), at(leader, 0), no.sign(at(voter, 0).region().volume(), volume.signer));
    assertThat(volume.sent).anyMatch(s -> s.is(Abort.class) && s.isFrom(leader, 0));
    assertThat(volume.sent(Commit.class)).noneMatch(c -> c.lane() == 0 && c.view() == yes.view());
  }

  @Test
  void s41_theClientIsToldOnlyWhenEveryMemberHasPreparedThePut() {
    volume.stallDisk(0, 2);
    long write = volume.write(block(0, 3), 1);
    assertThat(volume.puts(0, 0)).as("two of three have it").isEqualTo(1);
    assertThat(volume.isDone(write)).isFalse();
    volume.wakeDisk(0, 2);
    assertThat(volume.isDone(write)).isTrue();
  }

  @Test
  void s41_aGetIsServedOnlyWhenThePutOfItsPrevNumIsCommitted() {
    for (int place = 0; place < 3; place++) {
      volume.stallDisk(0, place);
    }
    volume.write(block(0, 3), 1);
    volume.read(block(0, 3));
    assertThat(volume.sent(GetRequest.class)).extracting(GetRequest::prevNum).containsExactly(1L);
    assertThat(volume.sent(GetReply.class)).isEmpty();
    for (int place = 0; place < 3; place++) {
      volume.wakeDisk(0, place);
    }
    assertThat(volume.sent(GetReply.class)).hasSize(1);
  }

  @Test
  void s41_aGetIsNeitherNumberedNorLogged() throws MalformedException {
    volume.write(block(0, 3), 1);
    int length = volume.replica(0, 0).length;
    volume.read(block(0, 3));
    assertThat(volume.replica(0, 0)).hasSize(length);
    volume.write(block(0, 3), 2);
    assertThat(subBatches()).extracting(SubBatch::first).containsExactly(1L, 2L);
  }

  @Test
  void s41_aPutWaitsForTheOutstandingGetsOfItsBlock() {
    volume.write(block(0, 3), 1);
    volume.hold(s -> s.is(GetReply.class));
    long read = volume.read(block(0, 3));
    int puts = volume.sent(PutRequest.class).size();
    long write = volume.write(block(0, 3), 2);
    assertThat(volume.sent(PutRequest.class)).hasSize(puts);
    volume.release();
    assertThat(volume.value(read)).isEqualTo(1);
    assertThat(volume.isDone(write)).isTrue();
  }
}
