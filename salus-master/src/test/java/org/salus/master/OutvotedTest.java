package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.common.zk.RrsRecord;
import org.salus.common.zk.RrsRecord.Cause;
import org.salus.common.zk.RrsRecord.State;

class OutvotedTest {
  private final Outvoted outvoted = new Outvoted();
  private int epoch = 3;

  /** An epoch of these members ends for that reason; whom the next leaves out. */
  private String after(Cause cause, String odd, String... nodes) {
    List<RrsRecord.Member> members = Arrays.stream(nodes).map(n -> new RrsRecord.Member(n, 1, n)).toList();
    RrsRecord rrs = new RrsRecord(epoch, members, List.of(nodes), State.SERVING, "", "", epoch).broken(cause, odd, "");
    epoch++;
    String first = outvoted.suspect(rrs);
    assertThat(outvoted.suspect(rrs)).as("the same when asked twice").isEqualTo(first);
    return first;
  }

  @Test
  void twoWhoAreWrongInTheSameWayDoNotPutOutAllOthers() {
    assertThat(after(Cause.DIFFERED, "c", "x", "y", "c")).isEqualTo("c");
    assertThat(after(Cause.DIFFERED, "d", "x", "y", "d")).isEqualTo("x");
    assertThat(after(Cause.DIFFERED, "y", "y", "d", "e")).isEqualTo("y");
  }

  @Test
  void twoWhoAreWrongOneAfterTheOtherAreBothPutOut() {
    assertThat(after(Cause.DIFFERED, "x", "a", "b", "x")).isEqualTo("x");
    assertThat(after(Cause.DIFFERED, "y", "y", "b", "a")).isEqualTo("a");
    assertThat(after(Cause.DIFFERED, "y", "y", "b", "c")).isEqualTo("y");
  }

  @Test
  void otherFailuresAreTheSuspectsOwn() {
    assertThat(after(Cause.FAILED, "c", "x", "y", "c")).isEqualTo("c");
    assertThat(after(Cause.FAILED, "d", "x", "y", "d")).isEqualTo("d");
    assertThat(after(Cause.DIFFERED, "", "x", "y")).isEmpty();
  }
}
