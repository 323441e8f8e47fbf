package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.OpenBody;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.LogEnds;
import org.salus.core.scan.LogScan;

class EpochOpeningTest {
  private static final List<String> MEMBERS = List.of("a:1", "b:1");

  private static OpenBody open(SegmentEnd... recovered) {
    return new OpenBody(MEMBERS, List.of(recovered), 4);
  }

  private static LogEnds told(int lane, List<SegmentEnd> ends, List<SegmentEnd> elsewhere) {
    return new LogEnds(7, lane, ends, elsewhere);
  }

  @Test
  void anEndBelowWhatADamagedReplicaProvesIsALossUntilAnotherReplicaReachesIt() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    opening.scanned(
        new LogScan.Found(
            List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 100)),
            List.of(),
            List.of(new SegmentEnd(3, 500))));
    assertThat(opening.lost(open(new SegmentEnd(2, 900), new SegmentEnd(3, 100))))
        .isEqualTo(new SegmentEnd(3, 500));
    assertThat(opening.lost(open(new SegmentEnd(2, 900)))).isEqualTo(new SegmentEnd(3, 500));
    assertThat(opening.lost(open(new SegmentEnd(2, 900), new SegmentEnd(3, 500)))).isNull();
    assertThat(opening.offer(told(0, opening.found().ends(), List.of())))
        .as("the other member has not told yet")
        .isNull();
    OpenBody longest =
        opening.offer(told(1, List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 700)), List.of()));
    assertThat(longest).isEqualTo(open(new SegmentEnd(2, 900), new SegmentEnd(3, 700)));
    assertThat(opening.lost(longest)).isNull();
    assertThat(opening.maySign(longest)).isTrue();
  }

  /** An agreement whose next segment is far beyond the log is not signed. */
  @Test
  void aSegmentFarBeyondAllOthersIsNotSigned() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    SegmentEnd last = new SegmentEnd(3, 900);
    opening.scanned(new LogScan.Found(List.of(last), List.of(), List.of()));
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 4))).isTrue();
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 5)))
        .as("one that came since it looked")
        .isTrue();
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 1L << 40))).isFalse();
  }

  @Test
  void whatIsFoundElsewhereIsLogAndIsNotTheFindersOwn() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    SegmentEnd longer = new SegmentEnd(3, 700);
    opening.scanned(
        new LogScan.Found(
            List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 0)), List.of(longer), List.of()));
    assertThat(opening.maySign(open(new SegmentEnd(2, 900), new SegmentEnd(3, 100))))
        .as("what only somebody left out has")
        .isFalse();
    opening.offer(told(0, List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 100)), List.of()));
    OpenBody all = opening.offer(told(1, opening.found().ends(), opening.found().elsewhere()));
    assertThat(all).isEqualTo(open(new SegmentEnd(2, 900), longer));
    assertThat(opening.maySign(all)).isTrue();
    assertThat(opening.toEqualize(longer))
        .as("what is copied is checked from 0 on")
        .isEqualTo(new MemberEffect.ToEqualize(longer, 1, List.of(100L, 0L)));
    assertThat(opening.toEqualize(longer).common()).isZero();
  }
}
