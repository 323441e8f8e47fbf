package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.PrivilegedExceptionAction;
import java.util.List;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private long now;
  private final RefusalLines lines = new RefusalLines(() -> now);

  @Test
  void onlyWhatIsNeverAllowedIsCounted() {
    long before = GuardMetrics.refusals();
    assertThat(Refusals.ordinary("not yet")).hasMessage("not yet");
    assertThat(GuardMetrics.refusals()).isEqualTo(before);
    assertThat(Refusals.refuse("DELETE", "never")).hasMessage("never");
    assertThat(GuardMetrics.refusals()).isEqualTo(before + 1);
  }

  /** Fsck's calls are no RPC, but it makes them as the user who has called it. */
  @Test
  void whoCallsWithinTheNameNodeIsNamed() throws Exception {
    PrivilegedExceptionAction<String> call = Refusals::caller;
    assertThat(UserGroupInformation.createRemoteUser("ops").doAs(call))
        .startsWith("ops ")
        .contains("fsck")
        .doesNotContain("null");
  }

  @Test
  void aPathForgesNoLineOfTheLog() {
    String path = "/a\n2026 ERROR b\r\u2028\t\u001b[2J";
    for (Exception answer : List.of(Refusals.refuse("DELETE", path), Refusals.ordinary(path))) {
      assertThat(answer).as("HDFS logs it, too").hasMessage("/a?2026 ERROR b????[2J");
    }
    assertThat(Refusals.line("u\nx at h", "never")).startsWith("u?x at h: never; ");
  }

  @Test
  void aLongPathIsCut() {
    assertThat(Refusals.refuse("DELETE", "x".repeat(100_000)).getMessage()).hasSize(1003);
  }

  @Test
  void nobodyHidesAnotherOneWhoIsRefused() {
    assertThat(lines.mayLog("a", "CREATE")).isTrue();
    assertThat(lines.mayLog("a", "CREATE")).isFalse();
    assertThat(lines.mayLog("b", "CREATE")).isTrue();
    assertThat(lines.mayLog("a", "DELETE")).isTrue();
    now += RefusalLines.PERIOD_NANOS;
    assertThat(lines.mayLog("a", "CREATE")).isTrue();
  }

  @Test
  void manyCallersDoNotFillTheLog() {
    int logged = 0;
    for (int i = 0; i < 1000; i++) {
      logged += lines.mayLog("user " + i, "DELETE") ? 1 : 0;
    }
    assertThat(logged).isEqualTo(RefusalLines.MOST);
  }
}
