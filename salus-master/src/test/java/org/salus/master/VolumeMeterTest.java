package org.salus.master;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;

class VolumeMeterTest {
  @Test
  void replacementsHaveNoValueUntilAllRecordsWereLookedFor() {
    Metrics metrics = new Metrics();
    try (VolumeMeter meter = new VolumeMeter(metrics, "disk1")) {
      meter.expects(2);
      meter.sees(0, null);
      assertThat(PrometheusText.of(metrics)).doesNotContain("salus_replacements_total{");
      meter.sees(1, null);
      assertThat(PrometheusText.of(metrics))
          .contains("salus_replacements_total{volume=\"disk1\",cause=\"gone\"} 0\n");
    }
  }
}
