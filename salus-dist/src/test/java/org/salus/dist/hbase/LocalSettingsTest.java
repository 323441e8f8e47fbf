package org.salus.dist.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.salus.datanode.hdfs.ServerAddresses;
import org.salus.dist.need.Needs;

class LocalSettingsTest {
  private static final int ZOOKEEPER = 2181;

  /** HBase in the same process stops the metrics now and then. */
  @Test
  void onlyDaemonsShowPrometheusTheMetricsOfHdfs() {
    ServerAddresses here = ServerAddresses.LOOPBACK;
    assertThat(LocalSettings.hdfs(here, ZOOKEEPER, Map.of()).getBoolean(Needs.PROMETHEUS, true))
        .isFalse();
    assertThat(
            LocalSettings.hdfsDaemons(here, ZOOKEEPER, Map.of())
                .getBoolean(Needs.PROMETHEUS, false))
        .isTrue();
    Map<String, String> off = Map.of(Needs.PROMETHEUS, "false");
    assertThat(LocalSettings.hdfsDaemons(here, ZOOKEEPER, off).getBoolean(Needs.PROMETHEUS, true))
        .isFalse();
  }
}
