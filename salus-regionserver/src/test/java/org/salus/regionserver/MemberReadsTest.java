package org.salus.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.salus.core.Endpoint;
import org.salus.core.RegionId;

class MemberReadsTest {
  private final MemberReads reads =
      new MemberReads(
          new Endpoint.Member(new RegionId(9, 0), 0), 4096, null, null, Runnable::run, null, null);

  @Test
  void getsThatAreNotAnsweredAreBounded() {
    for (int i = 0; i < MemberReads.MOST; i++) {
      assertThat(reads.mayAsk()).isTrue();
    }
    assertThat(reads.mayAsk()).isFalse();
    assertThat(reads.mayAsk()).isFalse();
  }
}
