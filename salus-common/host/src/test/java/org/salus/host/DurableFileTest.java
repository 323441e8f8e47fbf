package org.salus.host;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFileTest {
  @TempDir Path dir;

  @Test
  void aFileIsReplacedAsAWholeAndNothingElseIsLeft() throws IOException {
    Path file = dir.resolve("file");
    DurableFile.write(file, "a long content".getBytes(US_ASCII));
    DurableFile.write(file, "short".getBytes(US_ASCII));
    assertThat(file).hasContent("short");
    try (Stream<Path> all = Files.list(dir)) {
      assertThat(all).containsExactly(file);
    }
  }

  @Test
  void aFileThatCannotBeWrittenIsLeftAsItWas() throws IOException {
    Path file = dir.resolve("file");
    DurableFile.write(file, "before".getBytes(US_ASCII));
    Files.createDirectory(dir.resolve("file.new"));
    assertThatThrownBy(() -> DurableFile.write(file, "after".getBytes(US_ASCII)))
        .isInstanceOf(IOException.class);
    assertThat(file).hasContent("before");
  }
}
