package org.salus.dist.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a user's tools. */
final class Shell {
  private static final Map<String, String> PACKAGES =
      Map.ofEntries(
          Map.entry("promtool", "prometheus"),
          Map.entry("qemu-img", "qemu-utils"),
          Map.entry("qemu-io", "qemu-utils"),
          Map.entry("nbdcopy", "libnbd-bin"),
          Map.entry("nbdinfo", "libnbd-bin"),
          Map.entry("nbdfuse", "libnbd-bin"),
          Map.entry("fio", "fio"),
          Map.entry("mkfs.ext4", "e2fsprogs"),
          Map.entry("e2fsck", "e2fsprogs"),
          Map.entry("losetup", "mount"),
          Map.entry("nbdkit", "nbdkit"));
  private static final long MINUTES = 3;

  /** The output of a tool on both streams, and its exit code. */
  record Result(int code, String output) {}

  private Shell() {}

  /** Runs a command to its end, whether it succeeds or not. */
  static Result tryRun(String... command) throws IOException, InterruptedException {
    Process p;
    try {
      p = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new IOException(
          command[0]
              + " cannot be run; install the Debian package "
              + PACKAGES.getOrDefault(command[0], "that has it"),
          missing);
    }
    p.getOutputStream().close();
    String output = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!p.waitFor(MINUTES, TimeUnit.MINUTES)) {
      p.destroyForcibly();
      throw new IOException(String.join(" ", command) + " does not end");
    }
    return new Result(p.exitValue(), output);
  }

  /** Runs a command that must succeed. */
  static String run(String... command) throws IOException, InterruptedException {
    Result r = tryRun(command);
    if (r.code() != 0) {
      throw new IOException(
          String.join(" ", command) + " ended with " + r.code() + ": " + r.output());
    }
    return r.output();
  }
}
