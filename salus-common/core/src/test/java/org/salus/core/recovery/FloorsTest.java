package org.salus.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.log.LogRules;
import org.salus.core.wire.MalformedException;

class FloorsTest {
  private static final String REPLICA = "pool/1";
  private final Floors floors = new Floors(LogRules.PAPER);

  @Test
  void whatNobodyHasLookedAtIsNotCut() {
    floors.found("pool/2", 1, 0);
    assertThat(floors.knows(REPLICA)).isFalse();
    assertThat(floors.mayCut(REPLICA, 100, 99)).isFalse();
    assertThat(floors.mayCut(REPLICA, 100, 100)).as("nothing is cut").isTrue();
  }

  @Test
  void aReplicaIsCutDownToWhatItsMemberHasFoundValid() {
    floors.found(REPLICA, 1, 60);
    assertThat(floors.knows(REPLICA)).isTrue();
    assertThat(floors.mayCut(REPLICA, 100, 60)).isTrue();
    assertThat(floors.mayCut(REPLICA, 100, 59)).isFalse();
    assertThat(floors.mayCut(REPLICA, 50, 50)).as("it has lost more already").isTrue();
  }

  @Test
  void nobodyAppendsToAReplicaThatIsFenced() {
    assertThat(floors.mayAppend(REPLICA)).isTrue();
    floors.fence(REPLICA);
    assertThat(floors.mayAppend(REPLICA)).isFalse();
    assertThat(floors.mayAppend("pool/2")).isTrue();
    floors.found(REPLICA, 3, 60);
    assertThat(floors.mayAppend(REPLICA)).as("a recovery gives it another writer").isFalse();
    floors.forget(REPLICA);
    assertThat(floors.mayAppend(REPLICA)).as("its writer lives on").isFalse();
  }

  @Test
  void aServerThatFencesEverMoreIsRefusedAtTheBound() {
    for (int i = 0; i < Floors.MOST_FENCED; i++) {
      assertThat(floors.fence("pool/" + i)).isTrue();
    }
    assertThat(floors.fence("pool/another")).isFalse();
    assertThat(floors.fence("pool/0")).as("it is fenced already").isTrue();
  }

  @Test
  void aServerThatNamesEverMoreFloorsIsRefusedAtTheBoundAndLowersNone() {
    floors.found("pool/0", 5, 80);
    for (int i = 1; i < Floors.MOST_FLOORS; i++) {
      assertThat(floors.found("pool/" + i, 1, 60)).isTrue();
    }
    assertThat(floors.found("pool/another", 1, 60)).isFalse();
    assertThat(floors.keepStamp("pool/another", 1, 60, 8, 8)).isFalse();
    assertThat(floors.knows("pool/another")).isFalse();
    assertThat(floors.mayRaise("pool/another")).as("nobody recovers it").isFalse();
    assertThat(floors.mayCut("pool/another", 100, 60)).isFalse();
    assertThat(floors.found("pool/0", 4, 10)).as("it has a floor already").isTrue();
    assertThat(floors.mayCut("pool/0", 100, 79)).as("the newer epoch's stands").isFalse();
    floors.forget("pool/1");
    assertThat(floors.found("pool/another", 1, 60)).isTrue();
  }

  @Test
  void lateAndRepeatedWordsLowerNoFloor() {
    floors.found(REPLICA, 2, 60);
    floors.found(REPLICA, 2, 80);
    floors.found(REPLICA, 2, 60);
    floors.found(REPLICA, 1, 10);
    assertThat(floors.mayCut(REPLICA, 100, 79)).isFalse();
    assertThat(floors.mayCut(REPLICA, 100, 80)).isTrue();
  }

  @Test
  void inANewEpochTheMemberMayHaveFoundLess() {
    floors.found(REPLICA, 2, 80);
    floors.found(REPLICA, 3, 60);
    assertThat(floors.mayCut(REPLICA, 100, 60)).isTrue();
    floors.forget(REPLICA);
    assertThat(floors.mayCut(REPLICA, 100, 60)).isFalse();
  }

  @Test
  void aReplicaGetsNewStampsFromItsMembersFirstWordInAnEpochToItsLast() {
    assertThat(floors.mayRaise(REPLICA)).as("nobody has looked").isFalse();
    floors.found(REPLICA, 2, 60);
    assertThat(floors.mayRaise(REPLICA)).as("a recovery follows").isTrue();
    assertThat(floors.keepStamp(REPLICA, 2, 80, 7, 8)).as("another stamp by now").isFalse();
    assertThat(floors.mayRaise(REPLICA)).isTrue();
    assertThat(floors.keepStamp(REPLICA, 2, 80, 8, 8)).isTrue();
    assertThat(floors.mayRaise(REPLICA)).as("it is equal").isFalse();
    assertThat(floors.mayCut(REPLICA, 100, 79)).isFalse();
    floors.found(REPLICA, 2, 60);
    assertThat(floors.mayRaise(REPLICA)).as("a late word").isFalse();
    floors.found(REPLICA, 3, 80);
    assertThat(floors.mayRaise(REPLICA)).as("the next epoch").isTrue();
    assertThat(floors.keepStamp(REPLICA, 2, 80, 8, 8)).isTrue();
    assertThat(floors.mayRaise(REPLICA)).as("a late word of the epoch before").isTrue();
    floors.forget(REPLICA);
    assertThat(floors.mayRaise(REPLICA)).isFalse();
  }

  @Test
  void aDataNodeAsksForTheNameNodesWordOnAStamp() throws MalformedException {
    assertThat(StampQuestion.decode(new StampQuestion(1234).encode()).stamp()).isEqualTo(1234);
    assertThatThrownBy(() -> StampQuestion.decode(new byte[] {1, 2, 3, 4}))
        .isInstanceOf(MalformedException.class);
    assertThat(LogRules.PAPER.isGivenOut(7, 7)).isTrue();
    assertThat(LogRules.PAPER.isGivenOut(7, 8)).isFalse();
  }

  @Test
  void aGuardAnswersTheQuestionThatWasAsked() throws MalformedException {
    GuardQuestion question = GuardQuestion.decode(new GuardQuestion(1234).encode());
    assertThat(question.isAnsweredBy(new GuardQuestion(1234).answer() + " at Server")).isTrue();
    assertThat(question.isAnsweredBy(new GuardQuestion(1235).answer())).isFalse();
    assertThat(question.isAnsweredBy(null)).isFalse();
    assertThatThrownBy(() -> GuardQuestion.decode(new StampQuestion(1).encode()))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void onlyTheDataNodesServerSignsAClaim() throws MalformedException {
    Signer signer = new Signer("secret".getBytes(StandardCharsets.UTF_8));
    FloorClaim sent = FloorClaim.sign("uuid", REPLICA, 3, 60, 7, signer);
    FloorClaim claim = FloorClaim.decode(sent.encode());
    assertThat(claim.replica()).isEqualTo(REPLICA);
    assertThat(claim.epoch()).isEqualTo(3);
    assertThat(claim.length()).isEqualTo(60);
    assertThat(claim.stamp()).isEqualTo(7);
    assertThat(claim.isSigned("uuid", signer)).isTrue();
    assertThat(claim.isSigned("other", signer)).isFalse();
    assertThat(claim.isSigned("uuid", new Signer(new byte[0]))).isFalse();
    FloorClaim lower = new FloorClaim(REPLICA, 3, 0, 7, claim.signature());
    assertThat(lower.isSigned("uuid", signer)).isFalse();
    FloorClaim open = new FloorClaim(REPLICA, 3, 60, FloorClaim.MAY_RISE, claim.signature());
    assertThat(open.isSigned("uuid", signer)).isFalse();
  }
}
