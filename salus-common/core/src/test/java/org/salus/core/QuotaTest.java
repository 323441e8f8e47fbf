package org.salus.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotaTest {
  private static Quota names(long most, long used) {
    return new Quota("/hbase", true, most, used, -1, 1L << 50);
  }

  private static Quota bytes(long most, long used) {
    return new Quota("/", true, Long.MAX_VALUE, 90, most, used);
  }

  @Test
  void aQuotaThatLeavesTooLittleIsToldWithTheWayOut() {
    assertThat(names(20, 79).reason().orElseThrow())
        .isEqualTo(
            new Reason(
                Reason.Kind.QUOTA,
                "the quota of /hbase in HDFS allows 20 names, of which 79 are used: HBase and"
                    + " volumes stop when it is used up; raise it with 'hdfs dfsadmin -setQuota N"
                    + " /hbase', or take it away with 'hdfs dfsadmin -clrQuota /hbase'"));
    assertThat(names(20, 79).stopsHBase()).isTrue();
    assertThat(names(79, 79).stopsHBase()).isTrue();
    assertThat(names(80, 79).reason()).isPresent();
    assertThat(names(80, 79).stopsHBase()).isFalse();
    assertThat(bytes(1 << 20, 5).reason().orElseThrow().words())
        .contains("/ in HDFS allows 1048576 bytes", "-clrSpaceQuota /'");
    assertThat(bytes(5, 5).stopsHBase()).isTrue();
    assertThat(bytes(6, 5).stopsHBase()).isFalse();
  }

  @Test
  void aQuotaThatBindsOnlyVolumesDoesNotStopHBase() {
    Quota volumes = new Quota("/salus", false, 20, 79, 5, 5);
    assertThat(volumes.stopsHBase()).isFalse();
    assertThat(volumes.reason().orElseThrow().words())
        .contains("are used: volumes stop when it is used up", "-clrQuota /salus'");
  }

  @Test
  void aQuotaOfAllVolumesBecomesHigherOrNone() {
    assertThat(Quota.mayBecome(20, 21)).isTrue();
    assertThat(Quota.mayBecome(20, 20)).as("a call that is sent again").isTrue();
    assertThat(Quota.mayBecome(20, -1)).isTrue();
    assertThat(Quota.mayBecome(-1, -1)).isTrue();
    assertThat(Quota.mayBecome(20, 19)).isFalse();
    assertThat(Quota.mayBecome(-1, 1L << 50)).as("there was none").isFalse();
  }

  @Test
  void aWideQuotaAndNoneAreNotTold() {
    assertThat(names(79 + Quota.LEAST_NAMES, 79).reason()).isEmpty();
    assertThat(names(-1, 79).reason()).isEmpty();
    assertThat(names(-1, 79).stopsHBase()).isFalse();
    assertThat(bytes(Quota.LEAST_BYTES, 0).reason()).isEmpty();
    assertThat(bytes(-1, 0).reason()).isEmpty();
  }
}
