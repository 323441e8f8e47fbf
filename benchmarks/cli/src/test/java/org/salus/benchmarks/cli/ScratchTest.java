package org.salus.benchmarks.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchTest {
  @TempDir private Path dir;

  @Test
  void scratchLeavesWhatWasThereAndNothingElse() throws IOException {
    Path there = Files.createDirectory(dir.resolve("there"));
    for (Path chosen : new Path[] {there, dir.resolve("new")}) {
      try (Scratch scratch = Scratch.open(chosen)) {
        Files.writeString(Files.createDirectories(scratch.path().resolve("a/b")).resolve("c"), "x");
        assertThatThrownBy(() -> Scratch.open(chosen))
            .hasMessageContaining("is not empty")
            .hasMessageContaining("--data");
      }
    }
    assertThat(there).isEmptyDirectory();
    assertThat(dir.resolve("new")).doesNotExist();
  }
}
