package org.salus.dist.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An NBD export as a block device, by nbdfuse and a loop device, and a file system on it. */
final class MountedDisk implements AutoCloseable {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path fuse;
  private final Path root;
  private final Process nbdfuse;
  private final String device;
  private boolean mounted;

  private MountedDisk(Path fuse, Path root, Process nbdfuse, String device) {
    this.fuse = fuse;
    this.root = root;
    this.nbdfuse = nbdfuse;
    this.device = device;
  }

  /** Attaches the export; mount points are made in {@code dir}. */
  static MountedDisk attach(String uri, Path dir) throws IOException, InterruptedException {
    Path fuse = Files.createDirectories(dir.resolve("fuse"));
    Path root = Files.createDirectories(dir.resolve("root"));
    Path file = fuse.resolve("nbd");
    Process nbdfuse = new ProcessBuilder("nbdfuse", file.toString(), uri).inheritIO().start();
    long end = System.nanoTime() + WAIT_NANOS;
    while (!Files.exists(file)) {
      if (!nbdfuse.isAlive() || System.nanoTime() > end) {
        nbdfuse.destroy();
        throw new IOException("nbdfuse does not serve " + uri + "; is the Debian package fuse3 installed?");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    try {
      return new MountedDisk(fuse, root, nbdfuse, Shell.run("losetup", "-f", "--show", file.toString()).trim());
    } catch (IOException failed) {
      nbdfuse.destroy();
      throw failed;
    }
  }

  String device() {
    return device;
  }

  void mount() throws IOException, InterruptedException {
    Shell.run("mount", "-t", "ext4", device, root.toString());
    mounted = true;
  }

  void unmount() throws IOException, InterruptedException {
    Shell.run("umount", root.toString());
    mounted = false;
  }

  Path root() {
    return root;
  }

  /** Takes everything down, also when nothing answers any more. */
  @Override
  public void close() throws IOException, InterruptedException {
    if (mounted) {
      Shell.tryRun("umount", "-l", root.toString());
    }
    Shell.tryRun("losetup", "-d", device);
    Shell.tryRun("umount", "-l", fuse.toString());
    nbdfuse.destroy();
    if (!nbdfuse.waitFor(5, TimeUnit.SECONDS)) {
      nbdfuse.destroyForcibly();
    }
  }
}
