package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Linux file system on a volume, and a cluster that dies under it. */
class FileSystemTest {
  private static final int SYNCED_BEFORE_THE_KILL = 40;

  @TempDir
  Path dir;

  @Test
  void everyFsyncedFileSurvivesTheKillOfTheWholeCluster() throws Exception {
    Map<String, byte[]> synced = new ConcurrentHashMap<>();
    Path data = dir.resolve("data");
    try (StandaloneProcess cluster = StandaloneProcess.start(data, "disk0:512M");
        MountedDisk disk = MountedDisk.attach(cluster.uri(), dir.resolve("a"))) {
      Shell.run("mkfs.ext4", "-q", "-F", disk.device());
      disk.mount();
      int files = unpackSources(disk.root());
      assertThat(files).isGreaterThan(200);
      Shell.run("sync", "-f", disk.root().toString());
      killWhileWriting(cluster, disk, synced);
    }
    System.out.println(synced.size() + " files were fsynced before the kill");
    try (StandaloneProcess cluster = StandaloneProcess.start(data, "disk0:512M");
        MountedDisk disk = MountedDisk.attach(cluster.uri(), dir.resolve("b"))) {
      disk.mount(); // replays the journal
      disk.unmount();
      assertThat(Shell.tryRun("e2fsck", "-fn", disk.device()).code()).as("e2fsck after the journal replay").isZero();
      disk.mount();
      for (Map.Entry<String, byte[]> e : synced.entrySet()) {
        assertThat(Files.readAllBytes(disk.root().resolve(e.getKey()))).as(e.getKey()).isEqualTo(e.getValue());
      }
      assertSourcesAreWhole(disk.root().resolve("sources"));
      disk.unmount();
      cluster.stop();
    }
  }

  private static Path repository() {
    return Path.of("").toAbsolutePath().getParent();
  }

  private static Stream<Path> sources() throws IOException {
    return Files.walk(repository()).filter(f -> f.toString().contains("/src/") && Files.isRegularFile(f));
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
        assertThat(copy.resolve(repository().relativize(from).toString())).hasSameBinaryContentAs(from);
      }
    }
  }

  /** The cluster dies while files are written and fsynced one after the other. */
  private static void killWhileWriting(StandaloneProcess cluster, MountedDisk disk, Map<String, byte[]> synced) throws Exception {
    AtomicBoolean dead = new AtomicBoolean();
    Thread writer = new Thread(() -> {
      Random random = new Random(17);
      for (int i = 0; !dead.get(); i++) {
        byte[] content = new byte[random.nextInt(300_000)];
        random.nextBytes(content);
        try {
          writeAndSync(disk.root(), "synced-" + i, content);
        } catch (IOException diskIsGone) {
          return;
        }
        if (!dead.get()) {
          synced.put("synced-" + i, content);
        }
      }
    });
    writer.setDaemon(true);
    writer.start();
    while (synced.size() < SYNCED_BEFORE_THE_KILL && writer.isAlive()) {
      Thread.onSpinWait();
    }
    dead.set(true); // what is fsynced from here on does not count: the kill may come between
    cluster.kill();
  }

  private static void writeAndSync(Path root, String name, byte[] content) throws IOException {
    try (FileChannel file = FileChannel.open(root.resolve(name), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      file.write(java.nio.ByteBuffer.wrap(content));
      file.force(true);
    }
    try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }
}
