package org.salus.nbd;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs real NBD clients; a missing one is an error that names its Debian package. */
final class Tools {

  private Tools() {}

  /** Runs a command to its end and returns what it printed; fails when it fails. */
  static String run(String debianPackage, String... command)
      throws IOException, InterruptedException {
    Process p;
    try {
      p = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      throw new AssertionError(
          command[0] + " is missing: install the Debian package " + debianPackage, e);
    }
    String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!p.waitFor(120, TimeUnit.SECONDS) || p.exitValue() != 0) {
      throw new AssertionError(List.of(command) + " failed: " + out);
    }
    return out;
  }
}
