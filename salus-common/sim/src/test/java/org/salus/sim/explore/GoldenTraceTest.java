package org.salus.sim.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** The core's course through the paper's figures equals the golden traces. */
class GoldenTraceTest {
  private static final Path FILES = Path.of("src/test/resources/golden");
  private static final String REWRITE = "salus.golden.write";

  private static void isAsWritten(String file, Supplier<List<String>> story) throws IOException {
    List<String> told = story.get();
    assertThat(story.get()).as("told twice").isEqualTo(told);
    Path path = FILES.resolve(file);
    if (Boolean.getBoolean(REWRITE)) {
      Files.createDirectories(FILES);
      Files.write(path, told);
    }
    List<String> written = Files.readAllLines(path);
    int at = firstDifference(written, told);
    assertThat(at)
        .withFailMessage(
            () ->
                path
                    + " line "
                    + (at + 1)
                    + "\n  written: "
                    + line(written, at)
                    + "\n  now:     "
                    + line(told, at)
                    + "\nIf the change is meant, rewrite the files with -D"
                    + REWRITE
                    + "=true and read the diff.")
        .isEqualTo(-1);
  }

  private static int firstDifference(List<String> a, List<String> b) {
    for (int i = 0; i < Math.max(a.size(), b.size()); i++) {
      if (!line(a, i).equals(line(b, i))) {
        return i;
      }
    }
    return -1;
  }

  private static String line(List<String> lines, int i) {
    return i < lines.size() ? lines.get(i) : "(end)";
  }

  @Test
  void pipelinedCommitRunsAsInFigure2() throws IOException {
    isAsWritten("figure2.txt", Figures::pipelinedCommit);
  }

  @Test
  void aPutRunsThroughActiveStorageAsInFigure3() throws IOException {
    isAsWritten("figure3.txt", Figures::activeStorage);
  }

  @Test
  void recoveryRunsAsInFigure5() throws IOException {
    isAsWritten("figure5.txt", Figures::recovery);
  }
}
