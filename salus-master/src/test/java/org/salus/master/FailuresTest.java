package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.common.zk.RrsRecord;
import org.salus.common.zk.RrsRecord.Cause;
import org.salus.common.zk.RrsRecord.State;

class FailuresTest {
  private static final List<String> HOLDERS = List.of("a", "b", "c");

  private final Failures failures = new Failures();
  private int epoch = 7;
  private int served = 7;

  /** This one breaks an epoch, and the next opens with those. */
  private List<String> after(String suspect) {
    List<RrsRecord.Member> members = HOLDERS.stream().map(n -> new RrsRecord.Member(n, 1, n)).toList();
    RrsRecord rrs = new RrsRecord(epoch, members, HOLDERS, State.OPENING, "", "", served).broken(Cause.FAILED, suspect, "");
    failures.note(rrs, suspect);
    failures.note(rrs, suspect); // a step that is done twice
    epoch++;
    return failures.trusted(HOLDERS, suspect);
  }

  @Test
  void twoThatFailAgainAndAgainAreBothLeftOut() {
    assertThat(after("a")).containsExactly("b", "c");
    assertThat(after("b")).containsExactly("a", "c");
    assertThat(after("a")).containsExactly("b", "c");
    assertThat(after("b")).containsExactly("c");
  }

  @Test
  void allHaveAnotherChanceWhenAllHaveFailed() {
    after("a");
    after("b");
    after("a");
    after("b");
    after("c");
    assertThat(after("c")).containsExactly("a", "b");
    assertThat(after("a")).containsExactly("b", "c");
  }

  @Test
  void whatWasBeforeTheRegionServedIsForgotten() {
    after("a");
    after("b");
    after("a");
    served = epoch;
    assertThat(after("b")).containsExactly("a", "c");
  }
}
