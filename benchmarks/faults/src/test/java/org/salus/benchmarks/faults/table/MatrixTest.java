package org.salus.benchmarks.faults.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.faults.Cell;
import org.salus.benchmarks.faults.CellPhase;
import org.salus.benchmarks.faulty.ServerFault;

/** The matrix has what its axes name, or says why not. */
class MatrixTest {

  @Test
  void theMatrixHasAtLeastTwoHundredCellsNoTwoOfThemTheSame() {
    List<String> cells = Matrix.cells().stream().map(Cell::toString).toList();
    assertThat(cells).hasSizeGreaterThanOrEqualTo(200).doesNotHaveDuplicates();
  }

  @Test
  void everyFaultOfAServerHasACell() {
    Set<String> faults = Matrix.cells().stream().map(Cell::what).collect(Collectors.toSet());
    assertThat(ServerFault.values()).extracting(ServerFault::label).allMatch(faults::contains);
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
