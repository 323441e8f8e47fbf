package org.salus.dist.map;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Runs and ends programs of the machine, such as the one that attaches devices. */
public interface Programs {
  /** Longer than any program takes that does not wait for a bridge. */
  Duration PATIENCE = Duration.ofSeconds(60);

  /** The exit code of a program, and what it printed on both streams. */
  record Answer(int code, String output) {
    boolean isGood() {
      return code == 0;
    }
  }

  /**
   * Runs a program to its end. What it leaves behind in the background goes on.
   *
   * @throws IOException when it cannot be run or does not end in time
   */
  Answer run(List<String> command, Duration atMost) throws IOException;

  /** Same with {@link #PATIENCE}. */
  default Answer run(List<String> command) throws IOException {
    return run(command, PATIENCE);
  }

  /** Ends a process at once. */
  default void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }
}
