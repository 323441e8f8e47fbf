package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Changes many files as a whole. A run that is cut off, by a crash or a power cut, has left a
 * journal; {@link #recover} then finishes or undoes it.
 *
 * <p>The order: the journals; all new files beside their targets; the first journal says that it is
 * decided; new files get their names, old ones are deleted; the journals go, the first one last.
 */
final class Transaction {
  /** Is told of each step before it is done. Tests end the run there. */
  interface Step {
    void before(String what) throws IOException;
  }

  private final Step step;

  Transaction(Step step) {
    this.step = step;
  }

  /**
   * Makes the changes.
   *
   * @param homes whose files they are; this process must have locked them
   * @throws IOException when they cannot be made. Then nothing is changed, or the message says that
   *     the next run goes on
   */
  void run(String what, List<Home> homes, List<Change> changes) throws IOException {
    Journal journal = Journal.of(what, homes, changes);
    try {
      for (Path file : journal.journals()) {
        step.before("journal " + file);
        journal.write(file);
      }
      for (Change c : changes) {
        if (!(c instanceof Change.Delete)) {
          step.before("stage " + c.target());
          Disk.stage(c);
        }
      }
      step.before("decide");
      journal.decide().write(journal.first());
    } catch (IOException failed) {
      undo(journal);
      throw new IOException("nothing was changed: " + Disk.words(failed), failed);
    }
    try {
      finish(journal);
    } catch (IOException failed) {
      throw new IOException(
          "not all is done: "
              + Disk.words(failed)
              + "; mend that, and run the same again: it goes on",
          failed);
    }
  }

  private void finish(Journal journal) throws IOException {
    for (Path target : journal.puts()) {
      step.before("put " + target);
      Disk.unveil(target);
    }
    for (Path target : journal.deletes()) {
      step.before("delete " + target);
      Disk.delete(target);
    }
    end(journal);
  }

  private void undo(Journal journal) throws IOException {
    for (Path target : journal.puts()) {
      step.before("undo " + target);
      Disk.delete(Disk.staged(target));
    }
    end(journal);
  }

  private void end(Journal journal) throws IOException {
    List<Path> files = new ArrayList<>(journal.journals());
    Collections.reverse(files);
    for (Path file : files) {
      step.before("end " + file);
      Disk.delete(file);
    }
  }

  /** Whether a run was cut off in one of these places. */
  static boolean isCutOff(List<Home> homes) {
    return homes.stream().anyMatch(h -> Files.exists(h.journal()));
  }

  /**
   * Finishes or undoes the runs that were cut off.
   *
   * @param homes this process must have locked them
   * @return a sentence for each
   */
  List<String> recover(List<Home> homes) throws IOException {
    List<String> said = new ArrayList<>();
    for (Home home : homes) {
      if (Files.exists(home.journal())) {
        Journal own = Journal.read(home.journal());
        if (!Files.exists(own.first())) {
          throw new IOException(
              home.journal()
                  + " belongs to a run that was cut off, and "
                  + own.first()
                  + ", which says how far it came, is gone: put that back from a backup");
        }
        Journal journal = Journal.read(own.first());
        if (journal.decided()) {
          finish(journal);
        } else {
          undo(journal);
        }
        said.add(
            "an earlier '"
                + journal.what()
                + "' was cut off; it is "
                + (journal.decided() ? "finished" : "undone")
                + " now");
      }
    }
    return said;
  }
}
