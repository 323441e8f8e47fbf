package org.salus.benchmarks.figures.watch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory of a JVM.
 *
 * @param liveHeap bytes of heap that a full collection leaves
 * @param heap bytes of heap that it has from the system
 * @param mostResident the most bytes of memory that the process ever had, as Linux counts them
 */
public record ServerMemory(long liveHeap, long heap, long mostResident) {
  private static final Pattern GENERATION =
      Pattern.compile("^ \\S.* total (\\d+)K, used (\\d+)K", Pattern.MULTILINE);
  private static final Pattern MOST_RESIDENT =
      Pattern.compile("^VmHWM:\\s*(\\d+) kB$", Pattern.MULTILINE);

  /** Has a JVM collect its garbage, and reads its memory. */
  public static ServerMemory of(ProcessHandle jvm) throws IOException {
    jcmd(jvm, "GC.run");
    return parse(jcmd(jvm, "GC.heap_info"), mostResident(jvm));
  }

  /**
   * @param heapInfo what {@code jcmd GC.heap_info} says
   */
  static ServerMemory parse(String heapInfo, long mostResident) throws IOException {
    Matcher m = GENERATION.matcher(heapInfo);
    long total = 0;
    long used = 0;
    while (m.find()) {
      total += Long.parseLong(m.group(1)) << 10;
      used += Long.parseLong(m.group(2)) << 10;
    }
    if (total == 0) {
      throw new IOException("jcmd does not say what was expected: " + heapInfo.strip());
    }
    return new ServerMemory(used, total, mostResident);
  }

  /** Most bytes of memory that a process ever had. */
  public static long mostResident(ProcessHandle process) throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    Matcher m = MOST_RESIDENT.matcher(Files.readString(status));
    if (!m.find()) {
      throw new IOException(status + " does not say the most memory that the process had");
    }
    return Long.parseLong(m.group(1)) << 10;
  }

  private static String jcmd(ProcessHandle jvm, String what) throws IOException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!Files.isExecutable(jcmd)) {
      throw new IOException(
          "there is no "
              + jcmd
              + ", which tells the heap of servers; use a JDK, not only its runtime");
    }
    Process asking =
        new ProcessBuilder(jcmd.toString(), Long.toString(jvm.pid()), what)
            .redirectErrorStream(true)
            .start();
    String said = new String(asking.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (asking.waitFor() != 0) {
        throw new IOException("jcmd " + what + " failed: " + said.strip());
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
    return said;
  }
}
