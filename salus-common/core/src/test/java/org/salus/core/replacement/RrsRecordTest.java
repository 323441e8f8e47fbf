package org.salus.core.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.Signer;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.replacement.RrsRecord.State;

/** The record of a region's RRS from one epoch to the next (§4.2.2). */
class RrsRecordTest {
  private static final RegionId REGION = new RegionId(7, 0);

  private final Signer signer = new Signer(new byte[] {1});
  private final RrsRecord first =
      new RrsRecord(
          EpochLink.first(REGION, 1, members("a", "b", "c"), members("a", "b", "c"), signer),
          State.OPENING,
          "the first");

  private static List<Member> members(String... nodes) {
    return Stream.of(nodes).map(n -> new Member(n, 1, n + ":9866")).toList();
  }

  private RrsRecord next(RrsRecord now, Cause cause, String... nodes) {
    EpochLink link = first.link().next(now.epoch() + 1, members(nodes), signer);
    return now.next(link, cause, "why", 5);
  }

  @Test
  void theMembersBecomeTheHoldersWhenTheEpochServes() {
    RrsRecord second = next(first.serving(), Cause.GONE, "a", "d");
    assertThat(second.holders()).containsExactly("a", "b", "c");
    assertThat(second.served()).isEqualTo(1);
    assertThat(second.serving().holders()).containsExactly("a", "d");
    assertThat(second.serving().served()).isEqualTo(2);
  }

  @Test
  void replacementsAreCountedByCause() {
    RrsRecord third =
        next(next(first.serving(), Cause.GONE, "a", "b"), Cause.JOINED, "a", "b", "d");
    RrsRecord fourth = next(third, Cause.GONE, "a", "b");
    assertThat(fourth.history().replacements()).isEqualTo(Map.of(Cause.GONE, 2, Cause.JOINED, 1));
    assertThat(fourth.history().since()).isEqualTo(5);
  }

  @Test
  void whoAnsweredWronglyIsDoubtedUntilItHasCheckedItsReplicas() {
    RrsRecord accused = first.serving().accused(Cause.WRONG_ANSWER, "b", "b: a wrong block");
    assertThat(accused.doubted()).isEqualTo(Map.of("b", 1));
    RrsRecord without = next(accused, Cause.WRONG_ANSWER, "a", "c");
    assertThat(without.serving().doubted()).isEqualTo(Map.of("b", 1));
    RrsRecord later = next(without.serving(), Cause.DIFFERED, "a");
    assertThat(later.doubted()).isEqualTo(Map.of("b", 1, "c", 2));
    assertThat(later.trusting("b").doubted()).isEqualTo(Map.of("c", 2));
    assertThat(next(first.serving(), Cause.STALLED, "a", "c").doubted()).isEmpty();
  }

  /** Two that answer a mount differently are both doubtful, and neither is left out. */
  @Test
  void ofTwoMembersThatDisagreeNoneIsSuspected() {
    RrsRecord two = next(first.serving(), Cause.GONE, "a", "b").serving();
    assertThat(two.accused(Cause.DISAGREED, "b", "").suspect()).isEmpty();
    assertThat(first.serving().accused(Cause.DISAGREED, "b", "").suspect()).isEqualTo("b");
  }

  /** Anybody can write into a record what the master then carries on. */
  @Test
  void hearsayThatCannotBeTrueDoesNotCount() {
    Suspicions late =
        new Suspicions(2, 0, null, Map.of(), Map.of(), List.of(), false, 0, false, false);
    assertThat(late.suspect()).isEmpty();
    assertThat(first.suspecting(late).suspicions()).isEqualTo(Suspicions.NONE);
    assertThat(first.broken(Cause.FAILED, "", "x".repeat(1 << 20)).note()).hasSize(2000);
    assertThatThrownBy(
            () -> EpochLink.first(REGION, 1, members("a", "b", "c", "d"), List.of(), signer))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
