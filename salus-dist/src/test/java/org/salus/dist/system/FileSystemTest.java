package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.Await;

/** A Linux file system on a volume, and a cluster that dies under it. */
@Tag("cluster")
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

  /**
   * The repository's files without what a build makes, since another module may be building now.
   */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Files.walkFileTree(
        repository(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes about) {
            Path name = dir.getFileName();
            return name.endsWith("target") || name.toString().startsWith(".")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes about) {
            if (file.toString().contains("/src/") && about.isRegularFile()) {
              sources.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return sources;
  }

  private static int unpackSources(Path root) throws IOException {
    List<Path> all = sources();
    for (Path from : all) {
      Path to = root.resolve("sources").resolve(repository().relativize(from).toString());
      Files.createDirectories(to.getParent());
      Files.copy(from, to);
    }
    return all.size();
  }

  private static void assertSourcesAreWhole(Path copy) throws IOException {
    for (Path from : sources()) {
      assertThat(copy.resolve(repository().relativize(from).toString()))
          .hasSameBinaryContentAs(from);
    }
  }
}
