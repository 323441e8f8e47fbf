package org.salus.benchmarks.faults.history;

import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.CellPhase;
import org.salus.benchmarks.faults.CellResult;
import org.salus.benchmarks.faults.FaultKind;
import org.salus.benchmarks.faults.table.Matrix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.faulty.ServerFault;

/** What counts as a kept promise, and that the table speaks of the faults that there are. */
class VerdictTest {
  private static Cell cell(int faulty) {
    return new Cell("junk", "log", faulty + " of 3", CellPhase.READ, faulty, true, s -> {});
  }

  private static Verdict verdict(Verdict.Get get, Verdict.Put put, long millis) {
    return new Verdict(get, put, millis, "");
  }

  @Test
  void withTwoFaultyNothingLessThanFreshOrderedAndLiveIsEnough() {
    assertThat(cell(2).keepsPromise(verdict(Verdict.Get.FRESH, Verdict.Put.ORDERED, 5))).isTrue();
    assertThat(cell(2).keepsPromise(verdict(Verdict.Get.SOME_REFUSED, Verdict.Put.ORDERED, 5)))
        .isFalse();
    assertThat(cell(2).keepsPromise(verdict(Verdict.Get.FRESH, Verdict.Put.LOST, 5))).isFalse();
    assertThat(cell(2).keepsPromise(verdict(Verdict.Get.FRESH, Verdict.Put.ORDERED, -1))).isFalse();
  }

  @Test
  void withThreeFaultyARefusalIsEnoughAndALieIsNot() {
    assertThat(cell(3).keepsPromise(verdict(Verdict.Get.REFUSED, Verdict.Put.REFUSED, -1)))
        .isTrue();
    assertThat(cell(3).keepsPromise(verdict(Verdict.Get.SOME_REFUSED, Verdict.Put.LOST, -1)))
        .isTrue();
    assertThat(cell(3).keepsPromise(verdict(Verdict.Get.STALE, Verdict.Put.ORDERED, 5))).isFalse();
    assertThat(cell(3).keepsPromise(verdict(Verdict.Get.FRESH, Verdict.Put.NOT_ORDERED, 5)))
        .isFalse();
    assertThat(cell(3).keepsPromise(verdict(Verdict.Get.FRESH, Verdict.Put.CORRUPTED, 5)))
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
                verdict(Verdict.Get.FRESH, Verdict.Put.LOST, 7),
                verdict(Verdict.Get.STALE, Verdict.Put.ORDERED, -1)));
    assertThat(worst).isEqualTo(verdict(Verdict.Get.STALE, Verdict.Put.LOST, -1));
  }

  @Test
  void theTableAndTheFaultyServersKnowTheSameFaults() {
    assertThat(Arrays.stream(FaultKind.values()).map(Enum::name))
        .containsExactly(Arrays.stream(ServerFault.values()).map(Enum::name).toArray(String[]::new));
  }

  @Test
  void theMatrixHasAtLeastTwoHundredCellsNoTwoOfThemTheSame() {
    List<String> cells = Matrix.cells().stream().map(Cell::toString).toList();
    assertThat(cells).hasSizeGreaterThanOrEqualTo(200).doesNotHaveDuplicates();
  }

  @Test
  void everyPhaseOfTheAxesIsRunOrLeftOutWithAReason() {
    Set<CellPhase> run = Matrix.cells().stream().map(Cell::phase).collect(Collectors.toSet());
    assertThat(run).containsExactlyInAnyOrder(CellPhase.values());
    for (String phase :
        List.of(
            "write",
            "read",
            "flush",
            "compaction",
            "recovery",
            "replacement",
            "mount",
            "snapshot")) {
      boolean isRun = run.stream().anyMatch(p -> p.name().equalsIgnoreCase(phase));
      assertThat(
              isRun
                  || Matrix.leftOut().stream()
                      .anyMatch(l -> l.what().contains(phase) && !l.why().isEmpty()))
          .as(phase)
          .isTrue();
    }
  }

  @Test
  void theDocumentSaysWhatIsLeftOutAndWhy() throws IOException {
    Path page =
        Path.of(System.getProperty("basedir", "."))
            .resolve("../../docs")
            .resolve("faults-matrix.md");
    String plain = Files.readString(page).replace("`", "");
    assertThat(Matrix.leftOut())
        .allSatisfy(
            l ->
                assertThat(plain)
                    .contains("| " + l.what() + " | " + l.why().replace("`", "") + " |\n"));
  }
}
