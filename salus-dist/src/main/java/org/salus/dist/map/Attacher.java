package org.salus.dist.map;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Attaches and detaches devices. Thread-safe. */
final class Attacher {
  private static final Logger LOG = LoggerFactory.getLogger(Attacher.class);
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The wait for a program whose requests are given up. */
  private static final long SHORT_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Machine machine;
  private final NbdDevices devices;

  Attacher(Machine machine, NbdDevices devices) {
    this.machine = machine;
    this.devices = devices;
  }

  /**
   * Refuses a user who may not detach devices.
   *
   * @throws IOException with the way out
   */
  void requireRoot() throws IOException {
    if (!machine.isRoot()) {
      throw new IOException("only root may attach and detach devices: use sudo");
    }
  }

  /**
   * Refuses a user or a machine that cannot attach devices.
   *
   * @throws IOException with the way out
   */
  void requireAble() throws IOException {
    requireRoot();
    try {
      machine.programs().run(List.of(Mapping.PROGRAM, "--version"));
    } catch (IOException missing) {
      throw new IOException(
          "cannot run "
              + Mapping.PROGRAM
              + ", which attaches devices: install it (Debian: apt install qemu-utils)",
          missing);
    }
    if (devices.names().isEmpty()) {
      loadModule();
    }
    if (devices.names().isEmpty()) {
      throw new IOException(
          "the kernel has no network block devices: run 'modprobe nbd nbds_max=16'. If there is no"
              + " such module, use a kernel with CONFIG_BLK_DEV_NBD (Debian: linux-image-amd64 or"
              + " linux-image-cloud-amd64)");
    }
  }

  /** Its devices show whether it could. */
  private void loadModule() {
    try {
      machine.programs().run(List.of("modprobe", "nbd", "nbds_max=16"));
    } catch (IOException missing) {
      LOG.debug("there is no modprobe", missing);
    }
  }

  /** Whether the device is attached and has its size when this returns; else why not. */
  Programs.Answer attach(Mapping m, Path socket) throws IOException {
    List<String> command = new ArrayList<>(machine.apart());
    command.addAll(m.attach(devices.file(m.device()), socket));
    Programs.Answer answer = machine.programs().run(command);
    long end = System.nanoTime() + WAIT_NANOS;
    while (answer.isGood() && !(devices.isAttached(m) && devices.hasSize(m.device()))) {
      if (isLate(end)) {
        return new Programs.Answer(
            1, "the device does not appear in " + devices.directory(m.device()));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return answer;
  }

  /**
   * Writes out what the kernel holds of the device.
   *
   * @throws IOException when it fails, or takes longer
   */
  void flush(Mapping m, Duration atMost) throws IOException {
    if (m.readOnly()) {
      return;
    }
    // A program can be left behind while the kernel does not let it go; a thread of this process
    // would keep that from ending.
    Programs.Answer answer =
        machine.programs().run(List.of("sync", devices.file(m.device()).toString()), atMost);
    if (!answer.isGood()) {
      throw new IOException(answer.output());
    }
  }

  /**
   * Unmounts a file system.
   *
   * @throws IOException when it is in use, or takes longer
   */
  void umount(String point, Duration atMost) throws IOException {
    Programs.Answer answer = machine.programs().run(List.of("umount", point), atMost);
    if (!answer.isGood()) {
      throw new IOException("cannot unmount " + point + ": " + answer.output());
    }
  }

  /**
   * Detaches the device, and waits until the programs that held it have ended.
   *
   * @param force whether they are killed if they go on: they may hold requests for a bridge that is
   *     away, and would send them to the next one
   * @throws IOException when the device or a program stays
   */
  void detach(Mapping m, boolean force) throws IOException {
    Path file = devices.file(m.device());
    String said = "";
    if (devices.isAttached(m)) {
      said =
          machine
              .programs()
              .run(List.of(Mapping.PROGRAM, "--disconnect", file.toString()))
              .output();
    }
    if (isGone(m, force ? SHORT_WAIT_NANOS : WAIT_NANOS)) {
      return;
    }
    if (force) {
      devices.programs(m).forEach(machine.programs()::kill);
      if (isGone(m, WAIT_NANOS)) {
        return;
      }
    }
    String left =
        devices.programs(m).stream().map(Object::toString).collect(Collectors.joining(", "));
    throw new IOException(
        (devices.isAttached(m) ? file + " cannot be detached" : file + " is detached")
            + (said.isEmpty() ? "" : ": " + said)
            + (left.isEmpty() ? "" : "; process " + left + " still holds requests of it")
            + (force ? "" : "; 'salus unmap --force' kills it, and loses what is not written"));
  }

  private boolean isGone(Mapping m, long waitNanos) throws IOException {
    long end = System.nanoTime() + waitNanos;
    while (devices.isAttached(m) || !devices.programs(m).isEmpty()) {
      if (isLate(end)) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }

  /** An interrupt would have parking return at once for ever. */
  private static boolean isLate(long end) {
    return System.nanoTime() - end > 0 || Thread.currentThread().isInterrupted();
  }
}
