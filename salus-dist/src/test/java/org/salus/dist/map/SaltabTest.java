package org.salus.dist.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaltabTest {
  @TempDir Path temp;

  @Test
  void aLineHasWordsAndComments() throws Exception {
    Path file =
        Files.writeString(
            temp.resolve("saltab"),
            "# all\n\n  disk1 --device\t/dev/nbd0 # the first\ndisk2 \"-D a=b c\" #\ndisk#3\n");
    assertThat(Saltab.read(file))
        .containsExactly(
            new Saltab.Line(file + ":3", List.of("disk1", "--device", "/dev/nbd0")),
            new Saltab.Line(file + ":4", List.of("disk2", "-D a=b c")),
            new Saltab.Line(file + ":5", List.of("disk#3")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk1 \"open", "disk1 a\"b c\"", "disk1 \"a\"b"})
  void aQuoteInAWordIsRefused(String line) throws Exception {
    Path file = Files.writeString(temp.resolve("saltab"), "disk0\n" + line);
    assertThatThrownBy(() -> Saltab.read(file)).hasMessageStartingWith(file + ":2: ");
  }

  @Test
  void aMissingFileIsNamed() {
    Path file = temp.resolve("none");
    assertThatThrownBy(() -> Saltab.read(file)).hasMessageStartingWith("cannot read " + file);
  }
}
