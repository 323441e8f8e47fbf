package org.salus.benchmarks.figures.network;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs {@code ip} and {@code tc}, whose errors become exceptions that say what is missing.
 * Stateless.
 */
final class Iproute {
  private Iproute() {}

  /**
   * @throws IOException when this is not root, or a tool is not there
   */
  static void require() throws IOException {
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      throw new IOException(
          "machines on one computer are network namespaces, which only root may make; run it as root, for example with sudo");
    }
    for (String tool : List.of("ip", "tc")) {
      run(tool, "-V");
    }
  }

  /** Runs it to its end and returns what it printed. */
  static String run(String... command) throws IOException {
    return run(List.of(command));
  }

  /** As {@link #run(String...)}; words are separated by blanks. */
  static String ip(String command) throws IOException {
    return run(words("ip", command));
  }

  /** As {@link #ip}. */
  static String tc(String command) throws IOException {
    return run(words("tc", command));
  }

  private static List<String> words(String tool, String command) {
    return Stream.concat(Stream.of(tool), Stream.of(command.split(" "))).toList();
  }

  private static String run(List<String> command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new IOException(
          "'"
              + command.get(0)
              + "' is needed for machines on one computer; install it (Debian: apt install iproute2)",
          missing);
    }
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException(
            "'"
                + String.join(" ", command)
                + "' failed: "
                + out.strip().replace('\n', ' ')
                + hint(out));
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in '" + String.join(" ", command) + "'", cut);
    }
    return out;
  }

  private static String hint(String out) {
    List<String> hints = new ArrayList<>();
    if (out.contains("not permitted") || out.contains("Permission denied")) {
      hints.add("; in a container this needs a privileged one (docker run --privileged)");
    }
    if (out.contains("not supported")
        || out.contains("Unknown device type")
        || out.contains("kind is unknown")) {
      hints.add("; the kernel needs network namespaces, veth, bridge and sch_tbf");
    }
    return String.join("", hints);
  }
}
