package org.salus.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuotaTest {
  private static Quota names(long most, long used) {
    return new Quota("/hbase", most, used, -1, 1L << 50);
  }

  private static Quota bytes(long most, long used) {
    return new Quota("/", Long.MAX_VALUE, 90, most, used);
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
    assertThat(names(20, 79).isUsedUp()).isTrue();
    assertThat(names(79, 79).isUsedUp()).isTrue();
    assertThat(names(80, 79).reason()).isPresent();
    assertThat(names(80, 79).isUsedUp()).isFalse();
    assertThat(bytes(1 << 20, 5).reason().orElseThrow().words())
        .contains("/ in HDFS allows 1048576 bytes", "-clrSpaceQuota /'");
    assertThat(bytes(5, 5).isUsedUp()).isTrue();
    assertThat(bytes(6, 5).isUsedUp()).isFalse();
  }

  @Test
  void aWideQuotaAndNoneAreNotTold() {
    assertThat(names(79 + Quota.LEAST_NAMES, 79).reason()).isEmpty();
    assertThat(names(-1, 79).reason()).isEmpty();
    assertThat(names(-1, 79).isUsedUp()).isFalse();
    assertThat(bytes(Quota.LEAST_BYTES, 0).reason()).isEmpty();
    assertThat(bytes(-1, 0).reason()).isEmpty();
  }
}
