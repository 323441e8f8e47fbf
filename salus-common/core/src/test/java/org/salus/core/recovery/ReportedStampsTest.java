package org.salus.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.log.LogRules;

class ReportedStampsTest {
  private static final List<String> NAMED = List.of("a", "b");
  private final ReportedStamps stamps = new ReportedStamps(LogRules.PAPER);

  @Test
  void eachNamedDataNodeMustHaveReportedTheStampItself() {
    assertThat(stamps.unreported(NAMED, 7)).containsExactly("a", "b");
    stamps.reported("a", 7);
    stamps.reported("b", 6);
    stamps.reported("c", 7);
    assertThat(stamps.unreported(NAMED, 7)).containsExactly("b");
    stamps.reported("b", 7);
    assertThat(stamps.unreported(NAMED, 7)).isEmpty();
  }

  @Test
  void whatALaterRecoveryHasRaisedOrHdfsHasDeletedDoesNotCount() {
    stamps.reported("a", 7);
    stamps.reported("b", 7);
    stamps.reported("b", 8);
    assertThat(stamps.unreported(NAMED, 7)).containsExactly("b");
    stamps.gone("a", 6);
    assertThat(stamps.unreported(NAMED, 7)).as("an older replica").containsExactly("b");
    stamps.gone("a", 7);
    assertThat(stamps.unreported(NAMED, 8)).containsExactly("a");
  }

  @Test
  void filesAreWhereTheirMembersAreAndNowhereElse() {
    assertThat(LogRules.PAPER.mayDropOthers(NAMED, List.of("a"))).isFalse();
    assertThat(LogRules.PAPER.mayDropOthers(NAMED, List.of("a", "b", "c"))).isFalse();
    assertThat(LogRules.PAPER.mayDropOthers(NAMED, NAMED)).isTrue();
    assertThat(LogRules.PAPER.mayPlace(NAMED, NAMED)).isTrue();
    for (List<String> other : List.of(List.of("a"), List.of("a", "a"), List.of("a", "b", "c"))) {
      assertThat(LogRules.PAPER.mayPlace(NAMED, other)).isFalse();
    }
  }
}
