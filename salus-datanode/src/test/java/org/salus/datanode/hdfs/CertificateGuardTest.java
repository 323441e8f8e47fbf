package org.salus.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;
import org.salus.core.log.Permission.FileState;

class CertificateGuardTest {
  private static final Change RENAME =
      new Change(Change.Op.RENAME, "/salus/d", 0, FileState.DIRECTORY, new byte[] {1}, null);

  private final CertificateGuard guard = new TestGuard();

  private static String shown() {
    MetricsCollectorImpl collector = new MetricsCollectorImpl();
    DefaultMetricsSystem.instance().getSource(GuardMetrics.NAME).getMetrics(collector, true);
    return collector.getRecords().toString();
  }

  @Test
  void everyRefusedChangeIsCountedAmongTheNameNodesMetrics() {
    long before = GuardMetrics.refusals();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> guard.check(RENAME))
          .isInstanceOf(AccessControlException.class)
          .hasMessageContaining("refused");
    }
    assertThat(GuardMetrics.refusals()).isEqualTo(before + 2);
    assertThat(shown())
        .contains("name=SalusGuard")
        .contains("RefusedTotal")
        .contains("" + (before + 2));
  }
}
