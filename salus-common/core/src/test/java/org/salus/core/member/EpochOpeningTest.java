package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogBefore;
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
            List.of(new SegmentEnd(3, 500)),
            LogBefore.NONE));
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
    opening.scanned(new LogScan.Found(List.of(last), List.of(), List.of(), LogBefore.NONE));
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 4))).isTrue();
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 5)))
        .as("one that came since it looked")
        .isTrue();
    assertThat(opening.maySign(new OpenBody(MEMBERS, List.of(last), 1L << 40))).isFalse();
  }

  /** Neither less nor more of the log before the epoch that served last counts. */
  @Test
  void onlyWhatTheEpochThatServedLastHasCertifiedIsAgreedOn() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    SegmentEnd two = new SegmentEnd(2, 900);
    SegmentEnd begun = new SegmentEnd(1, 0);
    SegmentEnd own = new SegmentEnd(3, 100);
    opening.scanned(
        new LogScan.Found(
            List.of(begun, two, own),
            List.of(),
            List.of(),
            new LogBefore(5, 3, List.of(new SegmentEnd(0, 500), two))));
    assertThat(opening.maySign(open(two, own))).isTrue();
    assertThat(opening.maySign(open(new SegmentEnd(2, 901), own))).as("more").isFalse();
    assertThat(opening.maySign(open(new SegmentEnd(1, 10), two, own))).as("begun").isFalse();
    assertThat(opening.lost(open(two, own))).as("the file of segment 0 is gone").isNull();
    assertThat(opening.lost(open(new SegmentEnd(2, 899), own))).isEqualTo(two);
    opening.offer(told(0, opening.found().ends(), List.of()));
    opening.offer(told(1, List.of(two, begun, new SegmentEnd(3, 300)), List.of()));
    assertThat(opening.tooMuch()).as("its own segment may be longer").isNull();
    LogEnds more = told(1, List.of(begun, own), List.of(new SegmentEnd(2, 901)));
    opening.offer(more);
    assertThat(opening.tooMuch()).isEqualTo(more);
  }

  @Test
  void whatIsFoundElsewhereIsLogAndIsNotTheFindersOwn() {
    EpochOpening opening = new EpochOpening(MEMBERS);
    SegmentEnd longer = new SegmentEnd(3, 700);
    opening.scanned(
        new LogScan.Found(
            List.of(new SegmentEnd(2, 900), new SegmentEnd(3, 0)),
            List.of(longer),
            List.of(),
            LogBefore.NONE));
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
