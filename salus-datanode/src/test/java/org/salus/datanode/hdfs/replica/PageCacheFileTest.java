package org.salus.datanode.hdfs.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("cluster")
class PageCacheFileTest {
  private static final int LENGTH = 200_000;
  private static final int READ = 10;
  private static final int NOT_READ = 11;

  private final byte[] content = new byte[LENGTH];
  private Path path;
  private PageCacheFile file;

  /** Writes the file below {@code target}, because temporary directories may be in memory only. */
  @BeforeEach
  void writeFile() throws IOException {
    new Random(7).nextBytes(content);
    path =
        Files.write(
            Files.createTempFile(Files.createDirectories(Path.of("target")), "cached", ""),
            content);
    file = PageCacheFile.open(path);
  }

  @AfterEach
  void deleteFile() throws IOException {
    file.close();
    Files.delete(path);
  }

  @Test
  void whatWasJustWrittenIsThere() {
    for (int[] piece : new int[][] {{0, LENGTH}, {5, 4096}, {LENGTH - 1, 1}, {70_000, 0}}) {
      ByteBuffer into = ByteBuffer.allocate(piece[1]);
      assertThat(file.read(into, piece[0])).isTrue();
      assertThat(into.array())
          .isEqualTo(Arrays.copyOfRange(content, piece[0], piece[0] + piece[1]));
    }
  }

  @Test
  void nothingIsReadBeyondTheEnd() {
    assertThat(file.read(ByteBuffer.allocate(2), LENGTH - 1)).isFalse();
    assertThat(file.read(ByteBuffer.allocate(1), LENGTH + 5000)).isFalse();
  }

  @Test
  @Timeout(60)
  void whatIsOnDiskAloneIsNotReadUntilSomebodyElseHasReadIt() throws Exception {
    try (FileChannel other =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      other.force(true);
      do {
        dropFromPageCache();
      } while (file.read(ByteBuffer.allocate(4096), 0));
      other.read(ByteBuffer.allocate(4096), 0);
    }
    assertThat(file.read(ByteBuffer.allocate(4096), 0)).isTrue();
  }

  private void dropFromPageCache() throws Exception {
    Process dd =
        new ProcessBuilder("dd", "if=" + path, "iflag=nocache", "count=0", "status=none")
            .inheritIO()
            .start();
    assertThat(dd.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(dd.exitValue()).isZero();
  }

  @Test
  @Timeout(60)
  void whereTheCLibraryCannotBeCalledNothingIsRead() throws Exception {
    readInAnotherProcess(READ);
    readInAnotherProcess(NOT_READ, "-Djna.nosys=true", "-Djna.nounpack=true");
  }

  private void readInAnotherProcess(int expected, String... options) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path")));
    command.addAll(List.of(options));
    command.addAll(List.of(OneRead.class.getName(), path.toString()));
    Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(java.waitFor()).as(said).isEqualTo(expected);
  }

  /** Says by its exit code whether it could read the file that its argument names. */
  static final class OneRead {
    public static void main(String[] args) {
      try (PageCacheFile file = PageCacheFile.open(Path.of(args[0]))) {
        System.exit(file.read(ByteBuffer.allocate(1), 0) ? READ : NOT_READ);
      }
    }
  }

  @Test
  void nothingIsReadOfAFileThatIsClosedOrGone() throws IOException {
    file.close();
    assertThat(file.read(ByteBuffer.allocate(1), 0)).isFalse();
    file.close();
    try (PageCacheFile gone = PageCacheFile.open(Path.of("target", "no such file"))) {
      assertThat(gone.read(ByteBuffer.allocate(1), 0)).isFalse();
    }
  }
}
