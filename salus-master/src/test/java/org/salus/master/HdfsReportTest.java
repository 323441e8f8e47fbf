package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.salus.core.replacement.DataNodeState;

/** What is read from the NameNode's words. */
class HdfsReportTest {
  @Test
  void onlyDataNodesInServiceHaveRoom() {
    HdfsReport report =
        new HdfsReport(
            false,
            true,
            Map.of(
                "a:1", new DataNodeReport(DataNodeState.IN_SERVICE, 100),
                "b:1", new DataNodeReport(DataNodeState.IN_SERVICE, 20),
                "c:1", new DataNodeReport(DataNodeState.DECOMMISSIONING, 1_000)),
            List.of());
    assertThat(report.room()).isEqualTo(120);
    assertThat(HdfsReport.NONE.room()).isZero();
  }
}
