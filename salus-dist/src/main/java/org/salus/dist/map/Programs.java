package org.salus.dist.map;

import java.io.IOException;
import java.util.List;

/** Runs programs of the machine, such as the one that attaches devices. */
public interface Programs {
  /** The exit code of a program, and what it printed on both streams. */
  record Answer(int code, String output) {
    boolean isGood() {
      return code == 0;
    }
  }

  /**
   * Runs a program to its end. What it leaves behind in the background goes on.
   *
   * @throws IOException when it cannot be run or does not end
   */
  Answer run(List<String> command) throws IOException;
}
