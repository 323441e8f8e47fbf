package org.salus.dist.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** An NBD export as a block device, by nbdfuse and a loop device, and a file system on it. */
final class MountedDisk implements AutoCloseable {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Path fuse;
  private final Path root;
  private final Process nbdfuse;
  private final String device;

  /** The kernel's messages about the device's name before this device. */
  private final Set<String> said;

  private boolean mounted;

  private MountedDisk(Path fuse, Path root, Process nbdfuse, String device)
      throws IOException, InterruptedException {
    this.fuse = fuse;
    this.root = root;
    this.nbdfuse = nbdfuse;
    this.device = device;
    this.said = complaints();
  }

  /** Attaches the export; mount points are made in {@code dir}. */
  static MountedDisk attach(String uri, Path dir) throws IOException, InterruptedException {
    return attach(uri, dir.resolve("fuse"), dir.resolve("root"));
  }

  /**
   * Attaches the export.
   *
   * @param fuse where the export appears as a file; created when it is missing
   * @param root where its file system is mounted; created when it is missing
   */
  static MountedDisk attach(String uri, Path fuse, Path root)
      throws IOException, InterruptedException {
    Files.createDirectories(fuse);
    Files.createDirectories(root);
    Path file = fuse.resolve("nbd");
    Process nbdfuse = new ProcessBuilder("nbdfuse", file.toString(), uri).inheritIO().start();
    long end = System.nanoTime() + WAIT_NANOS;
    while (!Files.exists(file)) {
      if (!nbdfuse.isAlive() || System.nanoTime() > end) {
        nbdfuse.destroy();
        throw new IOException(
            "nbdfuse does not serve " + uri + "; is the Debian package fuse3 installed?");
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    try {
      return new MountedDisk(
          fuse, root, nbdfuse, Shell.run("losetup", "-f", "--show", file.toString()).trim());
    } catch (IOException failed) {
      nbdfuse.destroy();
      throw failed;
    }
  }

  String device() {
    return device;
  }

  void mount() throws IOException, InterruptedException {
    mount("defaults");
  }

  /**
   * @param options options as {@code mount -o} takes them
   */
  void mount(String options) throws IOException, InterruptedException {
    Shell.run("mount", "-t", "ext4", "-o", options, device, root.toString());
    mounted = true;
  }

  void unmount() throws IOException, InterruptedException {
    Shell.run("umount", root.toString());
    mounted = false;
  }

  Path root() {
    return root;
  }

  /**
   * Lets the kernel forget what it has of a file in memory, so that the next read of it goes to the
   * disk.
   */
  void dropPagesOf(Path file) throws IOException, InterruptedException {
    Shell.run("dd", "status=none", "iflag=nocache", "count=0", "if=" + file, "of=/dev/null");
    Shell.run(
        "dd",
        "status=none",
        "iflag=nocache",
        "count=0",
        "if=" + fuse.resolve("nbd"),
        "of=/dev/null");
  }

  /** The kernel's errors about the device since it was attached; empty when there are none. */
  Set<String> errors() throws IOException, InterruptedException {
    Set<String> errors = complaints();
    errors.removeAll(said);
    Path count = Path.of("/sys/fs/ext4", name(), "errors_count");
    if (Files.exists(count) && !Files.readString(count).strip().equals("0")) {
      errors.add(count + " is " + Files.readString(count).strip());
    }
    return errors;
  }

  private String name() {
    return Path.of(device).getFileName().toString();
  }

  private Set<String> complaints() throws IOException, InterruptedException {
    return Shell.run("dmesg")
        .lines()
        .filter(
            l -> l.matches(".*\\b" + name() + "\\b.*") && l.matches("(?i).*(error|abort|fail).*"))
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /**
   * Removes the device at once, so that every request fails. {@link #close} must still be called.
   */
  void vanish() throws InterruptedException {
    nbdfuse.destroyForcibly().waitFor();
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
