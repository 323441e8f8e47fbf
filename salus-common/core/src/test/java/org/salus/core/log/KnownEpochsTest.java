package org.salus.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.RegionId;
import org.salus.core.log.KnownEpochs.Rrs;
import org.salus.core.wire.MalformedException;

class KnownEpochsTest {
  private static final RegionId REGION = new RegionId(7, 0);

  private final KnownEpochs known = new KnownEpochs();

  @Test
  void anOlderEpochIsNeverTakenForTheNewest() {
    known.learn(REGION, new Rrs(3, List.of("a", "b", "c")));
    known.learn(REGION, new Rrs(2, List.of("a", "b", "d")));
    assertThat(known.current(REGION)).contains(new Rrs(3, List.of("a", "b", "c")));
    known.learn(REGION, new Rrs(4, List.of("b", "c")));
    assertThat(known.epoch(REGION)).isEqualTo(4);
    assertThat(known.epoch(new RegionId(7, 1))).isZero();
    known.forget(7);
    assertThat(known.current(REGION)).isEmpty();
  }

  @Test
  void aMemberReadsItsLogOnlyOnceItsEpochIsKnown() throws MalformedException {
    assertThat(LogRules.PAPER.mayScan(3, 4)).isFalse();
    assertThat(LogRules.PAPER.mayScan(4, 4)).isTrue();
    assertThat(LogRules.PAPER.mayScan(5, 4)).isTrue();
    assertThat(KnownEpochs.epoch(KnownEpochs.question(4711))).isEqualTo(4711);
  }
}
