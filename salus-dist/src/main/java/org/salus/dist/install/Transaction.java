package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.salus.dist.install.Journal.Phase;
import org.salus.dist.install.Journal.Target;

/**
 * Changes many files as a whole. A run that is cut off, by a crash or a power cut, has left a
 * journal; {@link #recover} then finishes or undoes it.
 *
 * <p>The order: the journals; beside each target, its new file and a copy of its old one; the first
 * journal says that it is decided; new files get their names, old ones are moved aside; the first
 * journal says that it is done; the copies go; the journals go, the first one last. If a change
 * fails, the first journal says so, and all files are put back.
 *
 * <p>The journal has the hash of each file before and after. So what somebody else has changed
 * meanwhile is known, and not lost.
 */
final class Transaction {
  /** Is told of each step before it is done. Tests end the run there. */
  interface Step {
    void before(String what) throws IOException;
  }

  private static final String CHANGED = " was changed by somebody else while this was at work";

  private final Step step;

  Transaction(Step step) {
    this.step = step;
  }

  /**
   * Makes the changes.
   *
   * @param homes whose files they are; this process must have locked them
   * @return a sentence for each file that somebody else has changed meanwhile
   * @throws IOException when they cannot be made. Then nothing is changed, or the message says that
   *     the next run goes on
   */
  List<String> run(String what, List<Home> homes, List<Change> changes) throws IOException {
    Journal journal = Journal.of(what, homes, changes);
    try {
      for (Path file : journal.journals()) {
        step.before("journal " + file);
        journal.write(file);
      }
      for (Change c : changes) {
        step.before("stage " + c.target());
        Disk.stage(c);
      }
      step.before("decide");
      journal.with(Phase.DECIDED).write(journal.first());
    } catch (IOException failed) {
      end(journal, Set.of());
      throw unchanged(failed);
    }
    List<String> said = new ArrayList<>();
    IOException failed = finish(journal, said);
    if (failed != null) {
      throw said.isEmpty() ? unchanged(failed) : new IOException(sentence(failed, said), failed);
    }
    return said;
  }

  private static IOException unchanged(IOException failed) {
    return new IOException("nothing was changed: " + Disk.words(failed), failed);
  }

  private static String sentence(IOException failed, List<String> said) {
    return "all was put back, but what others have changed: "
        + Disk.words(failed)
        + "; "
        + String.join("; ", said);
  }

  /**
   * Makes the changes that are staged, or puts everything back.
   *
   * @param said takes a sentence for each file that somebody else has changed
   * @return why everything was put back; null if it was not
   */
  private IOException finish(Journal journal, List<String> said) throws IOException {
    List<String> changed = new ArrayList<>();
    try {
      for (Target t : journal.puts()) {
        step.before("put " + t.file());
        put(journal, t, changed);
      }
      for (Target t : journal.deletes()) {
        step.before("delete " + t.file());
        delete(t, changed);
      }
      step.before("done");
      journal.with(Phase.DONE).write(journal.first());
    } catch (IOException failed) {
      said.addAll(changed);
      goBack(journal, failed, said);
      return failed;
    }
    said.addAll(changed);
    end(journal, Set.of());
    return null;
  }

  private static void put(Journal journal, Target t, List<String> said) throws IOException {
    String now = Disk.hash(t.file());
    if (now.equals(t.after())) {
      return; // an earlier run has done it
    }
    boolean isOfOthers = !now.equals(t.before());
    if (!Disk.isThere(Disk.staged(t.file()))) {
      if (!isOfOthers) {
        throw new IOException(Disk.staged(t.file()) + " is gone, which was to be put there");
      }
      said.add(t.file() + CHANGED + ": it stays");
      return;
    }
    if (isOfOthers && !now.isEmpty()) {
      Path kept = Disk.keep(t.file(), journal.first().getParent());
      said.add(t.file() + CHANGED + ": what was in it is in " + kept);
    }
    Disk.unveil(t.file());
  }

  private static void delete(Target t, List<String> said) throws IOException {
    String now = Disk.hash(t.file());
    if (now.isEmpty()) {
      return; // an earlier run has done it
    }
    if (now.equals(t.before())) {
      Disk.moveAside(t.file());
    } else {
      said.add(t.file() + CHANGED + ": it stays, delete it yourself");
    }
  }

  /** Puts everything back, the last change first. */
  private void goBack(Journal journal, IOException failed, List<String> said) throws IOException {
    Set<Path> kept;
    try {
      step.before("go back");
      journal.with(Phase.BACK).write(journal.first());
      kept = putBack(journal, said);
    } catch (IOException again) {
      again.addSuppressed(failed);
      throw goesOn("not all is done: " + Disk.words(failed) + "; nor is all put back: ", again);
    }
    end(journal, kept);
  }

  /** Returns the files that stay as others have changed them. */
  private Set<Path> putBack(Journal journal, List<String> said) throws IOException {
    Set<Path> kept = new LinkedHashSet<>();
    List<Target> all = new ArrayList<>(journal.puts());
    all.addAll(journal.deletes());
    Collections.reverse(all);
    for (Target t : all) {
      step.before("put back " + t.file());
      String now = Disk.hash(t.file());
      if (now.equals(t.before())) {
        continue;
      }
      if (!now.equals(t.after())) {
        kept.add(t.file());
        Path old = Disk.aside(t.file());
        said.add(
            t.file()
                + CHANGED
                + ": it stays"
                + (Disk.isThere(old) ? ", and how it was is in " + old : ""));
      } else if (t.before().isEmpty()) {
        Disk.delete(t.file());
      } else {
        Disk.putBack(t.file());
      }
    }
    return kept;
  }

  /**
   * Takes all traces away.
   *
   * @param kept the files whose old content stays beside them
   */
  private void end(Journal journal, Set<Path> kept) throws IOException {
    try {
      clean(journal, kept);
    } catch (IOException failed) {
      throw goesOn("not all traces are gone: ", failed);
    }
  }

  private void clean(Journal journal, Set<Path> kept) throws IOException {
    List<Target> all = new ArrayList<>(journal.puts());
    all.addAll(journal.deletes());
    for (Target t : all) {
      step.before("clean " + t.file());
      Disk.delete(Disk.staged(t.file()));
      if (!kept.contains(t.file())) {
        Disk.delete(Disk.aside(t.file()));
      }
    }
    List<Path> files = new ArrayList<>(journal.journals());
    Collections.reverse(files);
    for (Path file : files) {
      step.before("end " + file);
      Disk.delete(Journal.unfinished(file));
      Disk.delete(file);
    }
  }

  private static IOException goesOn(String what, IOException failed) {
    return new IOException(
        what + Disk.words(failed) + "; mend that, and run the same again: it goes on", failed);
  }

  /** Whether a run was cut off in one of these places. */
  static boolean isCutOff(List<Home> homes) {
    return homes.stream().anyMatch(h -> Files.exists(h.journal()));
  }

  /** The directories of all places that the runs which were cut off have changed. */
  static Set<Path> states(List<Home> homes) throws IOException {
    Set<Path> states = new LinkedHashSet<>();
    for (Home home : homes) {
      if (Files.exists(home.journal())) {
        Journal.read(home.journal()).journals().forEach(j -> states.add(j.getParent()));
      }
    }
    return states;
  }

  /**
   * Finishes or undoes the runs that were cut off.
   *
   * @param homes this process must have locked them, and all of {@link #states}
   * @return a sentence for each, and for each file that somebody else has changed meanwhile
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
        recover(Journal.read(own.first()), said);
      } else {
        Disk.delete(Journal.unfinished(home.journal())); // that run had not done anything yet
      }
    }
    return said;
  }

  private void recover(Journal journal, List<String> said) throws IOException {
    List<String> changed = new ArrayList<>();
    String how = "undone now";
    switch (journal.phase()) {
      case BEGUN -> end(journal, Set.of());
      case DONE -> {
        end(journal, Set.of());
        how = "finished now";
      }
      case BACK -> end(journal, putBack(journal, changed));
      case DECIDED -> {
        IOException failed = finish(journal, changed);
        how = failed == null ? "finished now" : how + ", for it failed: " + Disk.words(failed);
      }
    }
    said.add("an earlier '" + journal.what() + "' was cut off; it is " + how);
    said.addAll(changed);
  }
}
