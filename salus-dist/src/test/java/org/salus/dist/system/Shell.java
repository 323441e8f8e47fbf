package org.salus.dist.system;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a user's tools. */
final class Shell {
  private static final Map<String, String> PACKAGES =
      Map.of(
          "qemu-img",
          "qemu-utils",
          "qemu-io",
          "qemu-utils",
          "nbdcopy",
          "libnbd-bin",
          "nbdinfo",
          "libnbd-bin",
          "nbdfuse",
          "libnbd-bin",
          "fio",
          "fio",
          "mkfs.ext4",
          "e2fsprogs",
          "e2fsck",
          "e2fsprogs",
          "losetup",
          "mount",
          "nbdkit",
          "nbdkit");
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
