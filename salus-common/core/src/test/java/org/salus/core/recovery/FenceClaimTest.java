package org.salus.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.wire.MalformedException;

/** Who stops the writers of a holder's replica (§4.2.2). */
class FenceClaimTest {
  private static final RegionId REGION = new RegionId(7, 3);
  private static final String REPLICA = "pool/1";

  private final Signer signer = new Signer(new byte[] {1});
  private final EpochLink served =
      EpochLink.first(REGION, 4, members("a", "b", "c"), members("a", "b", "c"), signer);
  private final EpochLink rebuilds = served.next(6, members("d", "e"), signer);
  private final FenceClaim claim = new FenceClaim(REPLICA, rebuilds);

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  private static LogRecord head(RegionId region, int epoch) {
    return new LogRecord(
        LogRecord.Type.MANIFEST, region, epoch, new Position(9, 0), 0, 0, new byte[0], new byte[0]);
  }

  @Test
  void theMembersOfAnEpochWithoutAHolderStopTheWritersOfEarlierOnes() {
    assertThat(claim.holds(REPLICA, head(REGION, 4), signer)).isTrue();
    assertThat(claim.holds(REPLICA, null, signer)).as("it has no bytes yet").isTrue();
  }

  @Test
  void nobodyElseStopsThem() {
    LogRecord head = head(REGION, 4);
    assertThat(claim.holds("pool/2", head, signer)).isFalse();
    assertThat(claim.holds(REPLICA, head(new RegionId(7, 2), 4), signer)).isFalse();
    assertThat(claim.holds(REPLICA, head(REGION, 6), signer)).as("an old claim").isFalse();
    assertThat(claim.holds(REPLICA, head, new Signer(new byte[] {2}))).isFalse();
    EpochLink withHolder = served.next(6, members("a", "e"), signer);
    assertThat(new FenceClaim(REPLICA, withHolder).holds(REPLICA, head, signer)).isFalse();
    assertThat(new FenceClaim(REPLICA, served).holds(REPLICA, null, signer)).isFalse();
  }

  @Test
  void aClaimIsReadAsItWasWritten() throws MalformedException {
    assertThat(FenceClaim.decode(claim.encode())).isEqualTo(claim);
    byte[] floor = FloorClaim.sign("id", REPLICA, 6, 10, FloorClaim.MAY_RISE, signer).encode();
    assertThatThrownBy(() -> FenceClaim.decode(floor)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> FloorClaim.decode(claim.encode()))
        .isInstanceOf(MalformedException.class);
  }
}
