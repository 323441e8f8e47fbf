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
    List<Saltab.Line> lines = Saltab.read(file);
    assertThat(lines)
        .extracting(Saltab.Line::place)
        .containsExactly(file + ":3", file + ":4", file + ":5");
    assertThat(lines.get(0).words()).containsExactly("disk1", "--device", "/dev/nbd0");
    assertThat(lines.get(1).words()).containsExactly("disk2", "-D a=b c");
    assertThat(lines.get(2).words()).containsExactly("disk#3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk1 \"open", "disk1 a\"b c\"", "disk1 \"a\"b"})
  void aQuoteInAWordIsRefused(String line) throws Exception {
    Path file = Files.writeString(temp.resolve("saltab"), "disk0\n" + line);
    List<Saltab.Line> lines = Saltab.read(file);
    assertThat(lines.get(0).words()).containsExactly("disk0");
    assertThatThrownBy(() -> lines.get(1).words()).hasMessageStartingWith(file + ":2: ");
  }

  @Test
  void aFileOfAnotherSystemsEditorIsRead() throws Exception {
    Path file = Files.writeString(temp.resolve("saltab"), "\uFEFFdisk1 --read-only\r\n# x\r\n");
    assertThat(Saltab.read(file)).hasSize(1);
    assertThat(Saltab.read(file).get(0).words()).containsExactly("disk1", "--read-only");
    Files.write(file, new byte[] {'d', '\n', '#', (byte) 0xe4});
    assertThat(Saltab.read(file)).hasSize(1);
  }

  @Test
  void aMissingFileIsNamed() {
    Path file = temp.resolve("none");
    assertThatThrownBy(() -> Saltab.read(file)).hasMessageStartingWith("cannot read " + file);
  }
}
