package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.Await;

/** A disk that becomes full. */
@Tag("cluster")
class NoSpaceTest {
  @TempDir Path dir;

  @Test
  void writesFailWithEnospcWhileTheDiskIsFullAndNothingAcknowledgedIsLost() throws Exception {
    Path small = Files.createDirectories(dir.resolve("small"));
    Shell.run("mount", "-t", "tmpfs", "-o", "size=2500m", "tmpfs", small.toString());
    try (StandaloneProcess cluster =
        StandaloneProcess.start(small.resolve("data"), "disk0:1G", "-D", "salus.segment.size=8m")) {
      assertPattern(cluster, "write -P 9 0 1M");
      Path filler = small.resolve("filler");
      Shell.tryRun("fallocate", "-l", "1950M", filler.toString());
      Shell.Result full =
          Shell.tryRun(
              "fio",
              "--ioengine=nbd",
              "--uri=" + cluster.uri(),
              "--name=fill",
              "--rw=write",
              "--bs=256k",
              "--iodepth=4",
              "--offset=16M",
              "--size=900M");
      assertThat(full.output()).contains("No space left on device");
      Files.delete(filler);
      Await.until(
          "there is room again",
          Duration.ofSeconds(60),
          () -> pattern(cluster, "write -P 5 64M 1M").code() == 0);
      assertPattern(cluster, "read -P 5 64M 1M");
      assertPattern(cluster, "read -P 9 0 1M");
      cluster.stop();
    } finally {
      Shell.run("umount", "-l", small.toString());
    }
  }

  private static void assertPattern(StandaloneProcess cluster, String command) throws Exception {
    Shell.Result result = pattern(cluster, command);
    assertThat(result.code()).as(result.output()).isZero();
  }

  private static Shell.Result pattern(StandaloneProcess cluster, String command) throws Exception {
    return Shell.tryRun("qemu-io", "-f", "raw", "-c", command, cluster.uri());
  }
}
