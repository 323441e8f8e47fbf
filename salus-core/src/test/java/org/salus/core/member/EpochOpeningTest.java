package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.log.OpenBody;
import org.salus.core.message.Message.SegmentEnd;

class EpochOpeningTest {
  private static final List<String> MEMBERS = List.of("a:1", "b:1");

  private static OpenBody open(SegmentEnd... recovered) {
    return new OpenBody(MEMBERS, List.of(recovered), 4);
  }

  @Test
  void anEndBelowWhatADamagedReplicaProvesIsALossUntilAnotherReplicaReachesIt() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    opening.scanned(List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 100)), List.of(new SegmentEnd(3, 500)));
    assertThat(opening.lost(open(new SegmentEnd(2, 900), new SegmentEnd(3, 100)))).isEqualTo(new SegmentEnd(3, 500));
    assertThat(opening.lost(open(new SegmentEnd(2, 900)))).isEqualTo(new SegmentEnd(3, 500));
    assertThat(opening.lost(open(new SegmentEnd(2, 900), new SegmentEnd(3, 500)))).isNull();
    assertThat(opening.offer(0, opening.own())).as("the other member has not told yet").isNull();
    OpenBody longest = opening.offer(1, List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 700)));
    assertThat(longest).isEqualTo(open(new SegmentEnd(2, 900), new SegmentEnd(3, 700)));
    assertThat(opening.lost(longest)).isNull();
    assertThat(opening.maySign(longest)).isTrue();
  }
}
