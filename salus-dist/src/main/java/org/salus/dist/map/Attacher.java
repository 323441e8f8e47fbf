package org.salus.dist.map;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Attaches and detaches devices. Not thread-safe. */
final class Attacher {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

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
      throw new IOException(
          "the kernel has no network block devices: run 'modprobe nbd nbds_max=16'. If there is no"
              + " such module, use a kernel with CONFIG_BLK_DEV_NBD (Debian: linux-image-amd64 or"
              + " linux-image-cloud-amd64)");
    }
  }

  /** Whether the device is attached when this returns; else why not. */
  Programs.Answer attach(Mapping m) throws IOException {
    Programs.Answer answer = machine.programs().run(m.attach(devices.file(m.device())));
    long end = System.nanoTime() + WAIT_NANOS;
    while (answer.isGood() && !devices.isAttached(m)) {
      if (System.nanoTime() > end || isInterrupted()) {
        return new Programs.Answer(
            1, "the device does not appear in " + devices.directory(m.device()));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return answer;
  }

  /** Writes out what the kernel holds of the device. */
  void flush(Mapping m) throws IOException {
    if (m.readOnly()) {
      return;
    }
    try (FileChannel device =
        FileChannel.open(devices.file(m.device()), StandardOpenOption.WRITE)) {
      device.force(true);
    }
  }

  /**
   * Detaches the device, and waits until the program that held it has ended.
   *
   * @throws IOException when the device stays
   */
  void detach(Mapping m) throws IOException {
    OptionalLong thread = devices.attacher(m.device());
    if (thread.isEmpty() || !devices.isAttached(m)) {
      return;
    }
    OptionalLong process = devices.process(thread.getAsLong());
    Path file = devices.file(m.device());
    Programs.Answer answer =
        machine.programs().run(List.of(Mapping.PROGRAM, "--disconnect", file.toString()));
    long end = System.nanoTime() + WAIT_NANOS;
    while (devices.isAttached(m)
        || process.isPresent() && m.isServedBy(devices.commandLine(process.getAsLong()))) {
      if (System.nanoTime() > end || isInterrupted()) {
        throw new IOException(
            file
                + " cannot be detached"
                + (answer.output().isEmpty() ? "" : ": " + answer.output())
                + (process.isPresent()
                    ? "; if nothing else helps, end process " + process.getAsLong()
                    : ""));
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /** An interrupt would have parking return at once for ever. */
  private static boolean isInterrupted() {
    return Thread.currentThread().isInterrupted();
  }
}
