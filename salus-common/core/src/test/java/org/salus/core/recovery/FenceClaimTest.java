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
import org.salus.core.recovery.FenceClaim.Content;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.wire.MalformedException;

/** Who stops the writers of a holder's replica (§4.2.2). */
class FenceClaimTest {
  private static final RegionId REGION = new RegionId(7, 3);
  private static final String REPLICA = "pool/1";
  private static final String HOLDER = "a:9866";

  private final Signer signer = new Signer(new byte[] {1});
  private final EpochLink served =
      EpochLink.first(REGION, 4, members("a", "b", "c"), members("a", "b", "c"), signer);
  private final EpochLink rebuilds = served.next(6, members("d", "e"), signer);
  private final FenceClaim claim = FenceClaim.sign(HOLDER, REPLICA, rebuilds, "d", signer);

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  private static LogRecord head(RegionId region, int epoch) {
    return new LogRecord(LogRecord.Type.MANIFEST, region, epoch, new Position(9, 0), new byte[0]);
  }

  private boolean holds(FenceClaim said, LogRecord head) {
    return said.holds(HOLDER, REPLICA, Content.LOG, head, signer);
  }

  @Test
  void theMembersOfAnEpochWithoutAHolderStopTheWritersOfEarlierOnes() {
    assertThat(holds(claim, head(REGION, 4))).isTrue();
    assertThat(claim.holds(HOLDER, REPLICA, Content.NOTHING, null, signer))
        .as("it has no record yet")
        .isTrue();
  }

  @Test
  void nobodyElseStopsThem() {
    LogRecord head = head(REGION, 4);
    assertThat(claim.holds(HOLDER, "pool/2", Content.LOG, head, signer)).isFalse();
    assertThat(claim.holds("d:9866", REPLICA, Content.LOG, head, signer))
        .as("no holder's DataNode")
        .isFalse();
    assertThat(claim.holds(HOLDER, REPLICA, Content.OTHER, null, signer))
        .as("no log segment")
        .isFalse();
    assertThat(holds(claim, head(new RegionId(7, 2), 4))).isFalse();
    assertThat(holds(claim, head(REGION, 6))).as("an old claim").isFalse();
    assertThat(claim.holds(HOLDER, REPLICA, Content.LOG, head, new Signer(new byte[] {2})))
        .isFalse();
    EpochLink withHolder = served.next(6, members("a", "e"), signer);
    assertThat(holds(FenceClaim.sign(HOLDER, REPLICA, withHolder, "e", signer), head)).isFalse();
    assertThat(holds(FenceClaim.sign(HOLDER, REPLICA, served, "a", signer), head)).isFalse();
    assertThat(holds(FenceClaim.sign(HOLDER, REPLICA, rebuilds, "b", signer), head))
        .as("not a member's")
        .isFalse();
    assertThat(holds(FenceClaim.sign("b:9866", REPLICA, rebuilds, "d", signer), head))
        .as("said to another DataNode")
        .isFalse();
    EpochLink forged = served.next(6, members("d", "e"), new Signer(new byte[] {2}));
    assertThat(holds(FenceClaim.sign(HOLDER, REPLICA, forged, "d", signer), head)).isFalse();
  }

  @Test
  void aClaimIsReadAsItWasWritten() throws MalformedException {
    FenceClaim read = FenceClaim.decode(claim.encode());
    assertThat(read).usingRecursiveComparison().isEqualTo(claim);
    assertThat(holds(read, head(REGION, 4))).isTrue();
    byte[] floor = FloorClaim.sign("id", REPLICA, 6, 10, FloorClaim.MAY_RISE, signer).encode();
    assertThatThrownBy(() -> FenceClaim.decode(floor)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> FloorClaim.decode(claim.encode()))
        .isInstanceOf(MalformedException.class);
  }
}
