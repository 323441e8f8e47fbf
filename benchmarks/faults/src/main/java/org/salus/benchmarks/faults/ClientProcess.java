package org.salus.benchmarks.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.salus.benchmarks.faults.history.WriteHistory;
import org.salus.benchmarks.faults.history.WriteSequence;
import org.salus.benchmarks.faulty.ClusterWait;

/** A {@link CrashingClient} that goes on with a history until it is killed. */
final class ClientProcess implements AutoCloseable {
  /** More than a client can have outstanding after its last acknowledged write. */
  private static final int MOST_OUTSTANDING = 1000;

  private final Process process;
  private final WriteHistory history;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong last = new AtomicLong();
  private final List<Long> acked = new ArrayList<>();
  private final Thread reader = new Thread(this::read, "acknowledged");

  private ClientProcess(Process process, WriteHistory history) {
    this.process = process;
    this.history = history;
  }

  static ClientProcess start(List<String> target, String store, WriteHistory history)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> a.startsWith("--add-") || a.startsWith("-Dio.netty"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            CrashingClient.class.getName()));
    command.addAll(target);
    WriteSequence w = history.workload();
    command.addAll(
        List.of(
            store,
            Long.toString(w.seed()),
            Integer.toString(w.blocks()),
            Long.toString(history.issued() + 1)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    ClientProcess client = new ClientProcess(process, history);
    client.reader.start();
    return client;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        // The kill may cut the last line off. Lines that are no numbers come from libraries.
        if (line.matches("\\d{1,15}")) {
          synchronized (acked) {
            acked.add(Long.parseLong(line));
          }
          last.accumulateAndGet(Long.parseLong(line), Math::max);
          count.incrementAndGet();
        }
      }
    } catch (IOException killed) {
      return;
    }
  }

  void awaitAcked(int writes, Duration patience) throws IOException {
    boolean enough = ClusterWait.until(patience, () -> count.get() >= writes || !process.isAlive());
    if (!enough || !process.isAlive()) {
      throw new IOException(
          "the client that was to be killed " + (enough ? "ended by itself" : "was too slow"));
    }
  }

  /** Kills the client with SIGKILL. The history then has every write that it may have issued. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
    reader.join();
    synchronized (acked) {
      acked.remove(acked.size() - 1); // perhaps cut off
      while (history.issued() < last.get() + MOST_OUTSTANDING) {
        history.issue();
      }
      acked.forEach(history::acked);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
