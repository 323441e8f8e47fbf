package org.salus.benchmarks.figures.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What processes on this machine have spent since they began, as Linux shows it in {@code /proc}.
 *
 * @param cpuNanos processor time of all their threads
 * @param diskBytes that they had written to disks; what the page cache saves does not count
 * @param wireBytes that went over the loopback interface, of all processes, with headers; each
 *     packet counts once
 */
public record Spent(long cpuNanos, long diskBytes, long wireBytes) {
  private static final Pattern WRITTEN =
      Pattern.compile("^write_bytes: (\\d+)$", Pattern.MULTILINE);
  private static final Pattern RECEIVED = Pattern.compile("^\\s*lo:\\s*(\\d+)", Pattern.MULTILINE);

  /** What these processes have spent until now. */
  public static Spent by(Collection<ProcessHandle> processes) throws IOException {
    long cpu = 0;
    long disk = 0;
    for (ProcessHandle p : processes) {
      cpu += p.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
      disk += number(WRITTEN, Path.of("/proc", Long.toString(p.pid()), "io"));
    }
    return new Spent(cpu, disk, number(RECEIVED, Path.of("/proc/net/dev")));
  }

  /** What this process has spent until now. */
  public static Spent here() throws IOException {
    return by(List.of(ProcessHandle.current()));
  }

  public Spent since(Spent before) {
    return new Spent(
        cpuNanos - before.cpuNanos, diskBytes - before.diskBytes, wireBytes - before.wireBytes);
  }

  private static long number(Pattern pattern, Path file) throws IOException {
    Matcher found = pattern.matcher(Files.readString(file));
    if (!found.find()) {
      throw new IOException(file + " does not say what was expected: " + pattern.pattern());
    }
    return Long.parseLong(found.group(1));
  }
}
