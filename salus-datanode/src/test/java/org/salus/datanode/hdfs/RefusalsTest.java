package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.PrivilegedExceptionAction;
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
    assertThat(Refusals.line("u at h", "DELETE of /a\n2026 ERROR b\r\u2028\t\u001b[2J refused"))
        .startsWith("u at h: DELETE of /a?2026 ERROR b????[2J refused; ");
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
