package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.Await;

/** A Linux file system on a volume, and a cluster that dies under it. */
class FileSystemTest {
  private static final int SYNCED_BEFORE_THE_KILL = 40;

  @TempDir Path dir;

  @Test
  void everyFsyncedFileSurvivesTheKillOfTheWholeCluster() throws Exception {
    SyncedFiles synced;
    Path data = dir.resolve("data");
    try (StandaloneProcess cluster = StandaloneProcess.start(data, "disk0:512M");
        MountedDisk disk = MountedDisk.attach(cluster.uri(), dir.resolve("a"))) {
      Shell.run("mkfs.ext4", "-q", "-F", disk.device());
      disk.mount();
      int files = unpackSources(disk.root());
      assertThat(files).isGreaterThan(200);
      Shell.run("sync", "-f", disk.root().toString());
      synced = SyncedFiles.startIn(disk.root());
      SyncedFiles writing = synced;
      Await.until(
          SYNCED_BEFORE_THE_KILL + " files are fsynced",
          Duration.ofSeconds(60),
          () -> writing.count() >= SYNCED_BEFORE_THE_KILL);
      synced.enough();
      cluster.kill();
    }
    try (StandaloneProcess cluster = StandaloneProcess.start(data, "disk0:512M");
        MountedDisk disk = MountedDisk.attach(cluster.uri(), dir.resolve("b"))) {
      disk.mount(); // replays the journal
      disk.unmount();
      assertThat(Shell.tryRun("e2fsck", "-fn", disk.device()).code())
          .as("e2fsck after the journal replay")
          .isZero();
      disk.mount();
      synced.assertWholeIn(disk.root());
      assertSourcesAreWhole(disk.root().resolve("sources"));
      disk.unmount();
      cluster.stop();
    }
  }

  private static Path repository() {
    return Path.of("").toAbsolutePath().getParent();
  }

  private static Stream<Path> sources() throws IOException {
    return Files.walk(repository())
        .filter(f -> f.toString().contains("/src/") && Files.isRegularFile(f));
  }

  private static int unpackSources(Path root) throws IOException {
    int n = 0;
    try (Stream<Path> all = sources()) {
      for (Path from : all.toList()) {
        Path to = root.resolve("sources").resolve(repository().relativize(from).toString());
        Files.createDirectories(to.getParent());
        Files.copy(from, to);
        n++;
      }
    }
    return n;
  }

  private static void assertSourcesAreWhole(Path copy) throws IOException {
    try (Stream<Path> all = sources()) {
      for (Path from : all.toList()) {
        assertThat(copy.resolve(repository().relativize(from).toString()))
            .hasSameBinaryContentAs(from);
      }
    }
  }
}
