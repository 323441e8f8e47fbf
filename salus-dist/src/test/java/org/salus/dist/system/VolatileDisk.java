package org.salus.dist.system;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.salus.host.DaemonThreads;

/**
 * A disk with an ext4 and a write cache that a power cut empties: then what was not flushed is
 * gone. It is nbdkit with its cache filter over a file, which gets only what is flushed, and its
 * error filter above.
 */
final class VolatileDisk implements AutoCloseable {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Mount options: ext4 by itself writes unsynced data only every 300 s. */
  private static final String OPTIONS = "commit=300,noinit_itable";

  /**
   * The thread that starts nbdkit. nbdkit ends with this thread, and a test's own would end before
   * its disks are taken down.
   */
  private static final ExecutorService STARTER =
      Executors.newSingleThreadExecutor(DaemonThreads.named("nbdkit-starter"));

  private final Path dir;
  private final Path root;
  private Process nbdkit;
  private MountedDisk disk;

  private VolatileDisk(Path dir, Path root) {
    this.dir = dir;
    this.root = root;
  }

  /**
   * Makes a fresh one and mounts it.
   *
   * @param dir the directory of its files
   * @param root where its file system is mounted
   */
  static VolatileDisk make(Path dir, Path root, long size)
      throws IOException, InterruptedException {
    VolatileDisk made = new VolatileDisk(Files.createDirectories(dir), root);
    try (RandomAccessFile image = new RandomAccessFile(made.image().toFile(), "rw")) {
      image.setLength(size);
    }
    Shell.run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", made.image().toString());
    made.powerOn();
    // An empty directory is what servers expect to find.
    Files.delete(root.resolve("lost+found"));
    Shell.run("sync", "-f", root.toString());
    return made;
  }

  private Path image() {
    return dir.resolve("image");
  }

  /** While this is there, every request fails. */
  private Path broken() {
    return dir.resolve("broken");
  }

  /** Makes every request fail with EIO from now on. */
  void breakDown() throws IOException {
    Files.createFile(broken());
  }

  /** Mounts its file system. */
  void powerOn() throws IOException, InterruptedException {
    Path socket = dir.resolve("socket");
    Files.deleteIfExists(socket);
    ProcessBuilder start =
        new ProcessBuilder(
                "nbdkit",
                "--foreground",
                "--unix",
                socket.toString(),
                "--filter=error",
                "--filter=cache",
                "file",
                image().toString(),
                "cache=writeback",
                "cache-min-block-size=4k",
                "error=EIO",
                "error-rate=100%",
                "error-file=" + broken())
            .inheritIO();
    try {
      nbdkit = STARTER.submit(start::start).get();
    } catch (ExecutionException missing) {
      throw new IOException("nbdkit cannot be run; install the Debian package nbdkit", missing);
    }
    long end = System.nanoTime() + START_NANOS;
    while (!Files.exists(socket)) {
      if (!nbdkit.isAlive() || System.nanoTime() > end) {
        throw new IOException("nbdkit does not serve " + image());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    disk = MountedDisk.attach("nbd+unix:///?socket=" + socket, dir.resolve("fuse"), root);
    disk.mount(OPTIONS);
  }

  /** Ends the disk. Writers get errors from then on. */
  void cutPower() throws InterruptedException {
    nbdkit.destroyForcibly().waitFor();
    disk.vanish();
  }

  /** Removes what is left of the disk after a {@link #cutPower}. */
  void remove() throws IOException, InterruptedException {
    disk.close();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    cutPower();
    remove();
  }
}
