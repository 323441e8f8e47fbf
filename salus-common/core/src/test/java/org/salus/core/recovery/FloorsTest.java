package org.salus.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

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
  void onlyTheDataNodesServerSignsAClaim() throws MalformedException {
    Signer signer = new Signer("secret".getBytes(StandardCharsets.UTF_8));
    FloorClaim sent = FloorClaim.sign("uuid", REPLICA, 3, 60, signer);
    FloorClaim claim = FloorClaim.decode(sent.encode());
    assertThat(claim.replica()).isEqualTo(REPLICA);
    assertThat(claim.epoch()).isEqualTo(3);
    assertThat(claim.length()).isEqualTo(60);
    assertThat(claim.isSigned("uuid", signer)).isTrue();
    assertThat(claim.isSigned("other", signer)).isFalse();
    assertThat(claim.isSigned("uuid", new Signer(new byte[0]))).isFalse();
    FloorClaim lower = new FloorClaim(REPLICA, 3, 0, claim.signature());
    assertThat(lower.isSigned("uuid", signer)).isFalse();
  }
}
