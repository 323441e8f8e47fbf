package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real disk image goes in and comes back. */
@Tag("cluster")
class DiskImageTest {
  private static final long IMAGE_BYTES = 600L << 20;
  private static final long CONTENT_BYTES = 500L << 20;

  @TempDir Path dir;

  @Test
  void aDiskImageComesBackIdenticalAlsoAfterARestart() throws Exception {
    Path image = image();
    Path data = dir.resolve("data");
    String volume = "image:" + IMAGE_BYTES;
    try (StandaloneProcess cluster = StandaloneProcess.start(data, volume)) {
      Shell.run(
          "qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", image.toString(), cluster.uri());
      assertThat(Files.mismatch(copyOut(cluster, "first"), image))
          .as("the first byte that differs")
          .isEqualTo(-1);
      Files.delete(dir.resolve("first"));
      cluster.stop();
    }
    try (StandaloneProcess cluster = StandaloneProcess.start(data, volume)) {
      assertThat(Files.mismatch(copyOut(cluster, "second"), image))
          .as("the first byte that differs")
          .isEqualTo(-1);
      cluster.stop();
    }
  }

  private Path copyOut(StandaloneProcess cluster, String name)
      throws IOException, InterruptedException {
    Path out = dir.resolve(name);
    Shell.run("nbdcopy", cluster.uri(), out.toString());
    return out;
  }

  /** An ext4 file system with the files of the Debian packages that are installed here. */
  private Path image() throws IOException, InterruptedException {
    Path files = Files.createDirectories(dir.resolve("files"));
    long bytes = 0;
    for (String file : Shell.run("sh", "-c", "cat /var/lib/dpkg/info/*.list").split("\n")) {
      Path from = Path.of(file);
      if (bytes < CONTENT_BYTES
          && Files.isRegularFile(from, LinkOption.NOFOLLOW_LINKS)
          && Files.isReadable(from)) {
        Path to = files.resolve(file.substring(1));
        if (!Files.exists(to) && bytes + Files.size(from) < CONTENT_BYTES + (8 << 20)) {
          Files.createDirectories(to.getParent());
          Files.copy(from, to);
          bytes += Files.size(from);
        }
      }
    }
    assertThat(bytes).as("bytes of installed packages").isGreaterThanOrEqualTo(CONTENT_BYTES);
    Path image = dir.resolve("disk.img");
    Shell.run(
        "mkfs.ext4",
        "-q",
        "-F",
        "-b",
        "4096",
        "-N",
        "60000",
        "-d",
        files.toString(),
        image.toString(),
        (IMAGE_BYTES >> 20) + "M");
    Shell.run("rm", "-rf", files.toString());
    return image;
  }
}
