package org.salus.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.faults.history.Verdict;

/** Which verdicts keep the promise of a cell. */
class VerdictTest {
  private static Cell cell(int faulty) {
    return new Cell("junk", "log", faulty + " of 3", CellPhase.READ, faulty, true, s -> {});
  }

  private static Verdict verdict(Verdict.GetVerdict get, Verdict.PutVerdict put, long millis) {
    return new Verdict(get, put, millis, "");
  }

  @Test
  void withTwoFaultyNothingLessThanFreshOrderedAndLiveIsEnough() {
    assertThat(
            cell(2).keepsPromise(verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.ORDERED, 5)))
        .isTrue();
    assertThat(
            cell(2)
                .keepsPromise(
                    verdict(Verdict.GetVerdict.SOME_REFUSED, Verdict.PutVerdict.ORDERED, 5)))
        .isFalse();
    assertThat(cell(2).keepsPromise(verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.LOST, 5)))
        .isFalse();
    assertThat(
            cell(2).keepsPromise(verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.ORDERED, -1)))
        .isFalse();
  }

  @Test
  void withThreeFaultyARefusalIsEnoughAndALieIsNot() {
    assertThat(
            cell(3)
                .keepsPromise(verdict(Verdict.GetVerdict.REFUSED, Verdict.PutVerdict.REFUSED, -1)))
        .isTrue();
    assertThat(
            cell(3)
                .keepsPromise(
                    verdict(Verdict.GetVerdict.SOME_REFUSED, Verdict.PutVerdict.LOST, -1)))
        .isTrue();
    assertThat(
            cell(3).keepsPromise(verdict(Verdict.GetVerdict.STALE, Verdict.PutVerdict.ORDERED, 5)))
        .isFalse();
    assertThat(
            cell(3)
                .keepsPromise(verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.NOT_ORDERED, 5)))
        .isFalse();
    assertThat(
            cell(3)
                .keepsPromise(verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.CORRUPTED, 5)))
        .isFalse();
  }

  @Test
  void aCellThatWasNotRunKeepsNoPromise() {
    assertThat(
            new CellResult("Salus", List.of(cell(1)), List.of(), "there was no occasion")
                .keepsPromise())
        .isFalse();
  }

  @Test
  void theWorstOfALineCountsInEachRespect() {
    Verdict worst =
        Verdict.worst(
            List.of(
                verdict(Verdict.GetVerdict.FRESH, Verdict.PutVerdict.LOST, 7),
                verdict(Verdict.GetVerdict.STALE, Verdict.PutVerdict.ORDERED, -1)));
    assertThat(worst).isEqualTo(verdict(Verdict.GetVerdict.STALE, Verdict.PutVerdict.LOST, -1));
  }
}
