package org.salus.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.client.VolumeInfo;
import org.salus.host.metrics.Metrics;
import org.salus.host.metrics.PrometheusText;

class HealthMeterTest {
  private final Metrics metrics = new Metrics();
  private final HealthMeter meter = new HealthMeter(metrics);

  private static VolumeInfo volume(String name, String health, List<VolumeInfo.Loss> losses) {
    return new VolumeInfo(
        name, "", null, false, health, "why", null, null, losses, List.of(), List.of());
  }

  private static ClusterState state(VolumeInfo... volumes) {
    return ClusterState.of("m:1", "Master", Instant.EPOCH, List.of(volumes));
  }

  private String text() {
    return PrometheusText.of(metrics);
  }

  @Test
  void eachVolumeHasTheHealthAndTheLossesOfThePage() {
    VolumeInfo.Loss loss = new VolumeInfo.Loss(Instant.EPOCH, "root", 1, 10, 12, false);
    meter.sees(state(volume("a", "degraded", List.of(loss)), volume("b", "healthy", List.of())));
    assertThat(text())
        .contains("salus_volume_health{volume=\"a\",state=\"degraded\"} 1\n")
        .contains("salus_volume_health{volume=\"a\",state=\"healthy\"} 0\n")
        .contains("salus_volume_health{volume=\"b\",state=\"healthy\"} 1\n")
        .contains("salus_volume_losses{volume=\"a\"} 1\n");
    meter.sees(state(volume("a", "healthy", List.of())));
    assertThat(text())
        .contains("salus_volume_health{volume=\"a\",state=\"healthy\"} 1\n")
        .contains("salus_volume_losses{volume=\"a\"} 0\n")
        .doesNotContain("volume=\"b\"");
  }

  @Test
  void whatIsNotKnownHasNoValue() {
    meter.sees(state(volume("a", "healthy", List.of())));
    meter.sees(ClusterState.unknown("m:1", "Master", Instant.EPOCH, "no ZooKeeper"));
    assertThat(text()).doesNotContain("volume=\"a\"");
    meter.close();
    meter.sees(state(volume("a", "healthy", List.of())));
    assertThat(metrics.look()).isEmpty();
  }
}
