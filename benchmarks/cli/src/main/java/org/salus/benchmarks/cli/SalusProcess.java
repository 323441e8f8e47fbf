package org.salus.benchmarks.cli;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.salus.dist.cli.Salus;

/**
 * Runs another command of {@code salus} in a process that ends with this one, one at a time.
 * Thread-safe.
 */
final class SalusProcess {
  private static final int STOP_SECONDS = 60;

  private Process running;
  private boolean stopped;

  /**
   * Starts the command with this JVM's options. Its error stream goes to this process's.
   *
   * @param on a command that runs the rest of its line in its own place, or nothing
   * @param arguments arguments of {@code salus}
   * @param out the destination of its output
   */
  Process start(List<String> on, List<String> arguments, ProcessBuilder.Redirect out)
      throws IOException {
    return start(on, List.of(), arguments, out);
  }

  /**
   * Like {@link #start(List, List, ProcessBuilder.Redirect)}, with more options of the JVM, which
   * override this one's.
   */
  synchronized Process start(
      List<String> on, List<String> options, List<String> arguments, ProcessBuilder.Redirect out)
      throws IOException {
    if (stopped) {
      throw new IOException("stopped by a signal");
    }
    List<String> command = new ArrayList<>(on);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Salus.class.getName()));
    command.addAll(arguments);
    running =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(out)
            .start();
    return running;
  }

  /**
   * Asks the command to end after a signal, and waits while it removes what it has made. Nothing is
   * started any more.
   */
  synchronized void stop() {
    stopped = true;
    if (running != null && running.isAlive()) {
      running.destroy();
      try {
        running.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
