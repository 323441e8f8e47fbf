package org.salus.core.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Stalled;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;

class ChainBlameTest {
  private static final byte[] EMPTY = {};

  private final VolumeSpec spec =
      new VolumeSpec("disk", 1, 4096, 256, 1, false, VolumeSpec.MIN_SEGMENT);
  private final RegionContext c = context(0);
  private final ChainBlame blame = new ChainBlame(c);
  private final RegionContext last = context(2);
  private final ChainBlame lasts = new ChainBlame(last);

  private RegionContext context(int place) {
    return new RegionContext(
        spec,
        new Seat(spec.regionId(0), 7, List.of("a", "b", "c"), place),
        new Signer(EMPTY),
        new MemberConfig(1, 4),
        MemberRules.PAPER);
  }

  private LogRecord record(long offset) {
    return new LogRecord(LogRecord.Type.ROLL, spec.regionId(0), 7, new Position(1, offset), EMPTY);
  }

  private Entry forward(long offset) {
    Entry e = new Entry(record(offset), null, List.of(), null);
    c.tail.add(e);
    return e;
  }

  private List<Integer> accused() {
    return last.out.take().stream().map(e -> ((Stalled) e).lane()).toList();
  }

  @Test
  void whatMayBeLostIsSentAgainEverMoreRarely() {
    forward(0);
    blame.onPeriod();
    assertThat(blame.isTimeToRepeat()).as("it was sent in this period").isFalse();
    List<Integer> repeated = new ArrayList<>();
    for (int period = 1; period <= 15; period++) {
      blame.onPeriod();
      if (blame.isTimeToRepeat()) {
        repeated.add(period);
      }
    }
    assertThat(repeated).containsExactly(1, 2, 3, 4, 8);
  }

  /** On a slow link certificates come late, and sending again makes them later. */
  @Test
  void nothingIsSentAgainWhileCertificatesCome() {
    Entry oldest = forward(0);
    for (int period = 1; period < 10; period++) {
      blame.onPeriod();
      assertThat(blame.isTimeToRepeat()).isFalse();
      Entry next = forward(512L * period);
      oldest.certificate = List.of();
      oldest = next;
    }
  }

  /** Repetitions become ever rarer, so none comes in some periods. */
  @Test
  void whoNeverForwardsAnythingOfUseIsComplainedOf() {
    for (int useless = 1; useless <= 4; useless++) {
      assertThat(accused()).isEmpty();
      lasts.onPeriod();
      lasts.useless();
      lasts.onPeriod();
    }
    assertThat(accused()).containsExactly(1);
  }

  @Test
  void bytesThatChangeOnTheirWayNowAndThenAreNoFault() {
    for (int period = 0; period < 20; period++) {
      lasts.useless();
      lasts.onPeriod();
      lasts.useful();
    }
    assertThat(accused()).isEmpty();
  }

  @Test
  void whoSignsWhatNoSessionHasIsComplainedOfAtOnce() {
    lasts.forged(record(0));
    assertThat(accused()).containsExactly(1);
  }
}
