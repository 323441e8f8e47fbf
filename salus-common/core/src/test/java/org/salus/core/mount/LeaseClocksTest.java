package org.salus.core.mount;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** No clock shows the right time, and no two run at the same rate. */
class LeaseClocksTest {
  private static final long SECOND = 1_000_000_000L;

  /** When a writer confirms its claim, and another one claims the volume at once. */
  private static final long CONFIRMED = 1000 * SECOND;

  /** A clock that has run since it showed {@code start}. */
  private record Clock(double rate, long start) {
    long shows(double trueTime) {
      return start + Math.round(trueTime * rate);
    }

    double trueTime(long shown) {
      return (shown - start) / rate;
    }
  }

  /** Waits as long as the lease lasts, as if all clocks had the same rate. */
  private static final MountRules WITHOUT_MARGIN =
      new MountRules() {
        @Override
        public long changesFrom(Collection<Look> earlier, long now, long waitNanos) {
          return MountRules.super.changesFrom(earlier, now, MountConfig.defaults().leaseNanos());
        }
      };

  /**
   * For how long the next writer may acknowledge a change while the earlier one still reads, in
   * nanoseconds of true time; not above 0 if it never may.
   */
  private static double overlap(Clock reader, Clock writer, MountRules rules) {
    MountConfig times = MountConfig.defaults();
    MountKeeper earlier =
        new MountKeeper(times, MountRules.PAPER, KeptMount.none(Claimant.alone("a")));
    long claimedAt = reader.shows(0);
    List<MountRules.Look> none = List.of();
    earlier.claimed(new Claim(1, claimedAt, none), claimedAt);
    long sent = reader.shows(CONFIRMED);
    MountEffect.Confirm confirm = new MountEffect.Confirm(1, sent);
    MountEffect.Extend lease = (MountEffect.Extend) earlier.confirmed(confirm, sent).get(0);

    MountKeeper next = new MountKeeper(times, rules, KeptMount.none(Claimant.alone("b")));
    long seen = writer.shows(CONFIRMED);
    List<MountRules.Look> looks =
        new EarlierReaders(rules)
            .seen(List.of(new Reader(1, 1, Claimant.alone("a"), false, false)), seen);
    MountEffect.Mount mount =
        (MountEffect.Mount) next.claimed(new Claim(2, seen, looks), seen).get(0);
    return reader.trueTime(lease.readsUntil()) - writer.trueTime(mount.changesFrom());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "0.99, 1",
    "1, 1.01",
    "0.991, 1.009",
    "0.9905, 1.01",
    "1, 1.0199",
    "1.01, 0.99"
  })
  void nobodyReadsWhenAChangeIsAcknowledgedIfRatesDifferByNoMoreThanTwoPercent(
      double readers, double writers) {
    assertThat(overlap(new Clock(readers, 7 * SECOND), new Clock(writers, 99), MountRules.PAPER))
        .isNotPositive();
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.03, 1.1})
  void moreThanTwoPercentIsTooMuch(double writers) {
    assertThat(overlap(new Clock(1, 7), new Clock(writers, 99), MountRules.PAPER)).isPositive();
  }

  @Test
  void aWaitWithoutAMarginIsTooShortForClocksThatDiffer() {
    Clock right = new Clock(1, 0);
    assertThat(overlap(right, right, WITHOUT_MARGIN)).isNotPositive();
    assertThat(overlap(right, new Clock(1.01, 0), WITHOUT_MARGIN)).isGreaterThan(SECOND / 20.0);
    assertThat(overlap(new Clock(0.99, 0), right, WITHOUT_MARGIN)).isGreaterThan(SECOND / 20.0);
  }
}
