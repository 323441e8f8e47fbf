package org.salus.dist.install;

import java.io.IOException;
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
 * journal; {@link #recover} then puts all back, unless all was done.
 *
 * <p>The order: the journals; beside each target, its new file and a copy of its old one; the first
 * journal says that files change; new files get their names, old ones are moved aside; the first
 * journal says that all is changed; the copies go; the journals go, the first one last. If a step
 * fails, all files are put back, the first journal says so, and the traces go.
 *
 * <p>The journal has the hash of each file before and after. A file that somebody else has changed
 * meanwhile stays as it is, and the run is undone: a new one plans for that file.
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
   * @param plans of places that this process has locked
   * @throws IOException when they cannot be made. Then nothing is changed, or the message says that
   *     the next run goes on
   */
  void run(String what, List<Plan> plans) throws IOException {
    Journal journal = Journal.of(what, plans);
    try {
      for (Path file : journal.journals()) {
        step.before("journal " + file);
        journal.write(file);
      }
      for (Plan plan : plans) {
        for (Change c : plan.changes()) {
          step.before("stage " + c.target());
          Disk.stage(c);
        }
      }
      step.before("decide");
      journal.with(Phase.CHANGING).write(journal.first());
      journal = journal.with(Phase.CHANGING);
      change(journal);
      step.before("done");
      journal = journal.with(Phase.CHANGED); // the write may fail when it is done
      journal.write(journal.first());
    } catch (IOException failed) {
      List<String> said = undo(journal, "not all is done: " + Disk.words(failed) + "; ", failed);
      throw new IOException(
          said.isEmpty()
              ? "nothing was changed: " + Disk.words(failed)
              : "all was put back, but what others have changed: "
                  + Disk.words(failed)
                  + "; "
                  + String.join("; ", said),
          failed);
    }
    end(journal);
  }

  private void change(Journal journal) throws IOException {
    for (Target t : journal.puts()) {
      step.before("put " + t.file());
      Disk.requireSame(t.file(), t.before());
      if (!Disk.isThere(Disk.staged(t.file()))) {
        throw new IOException(Disk.staged(t.file()) + " is gone, which was to be put there");
      }
      Disk.unveil(t.file());
    }
    for (Target t : journal.deletes()) {
      step.before("delete " + t.file());
      Disk.requireSame(t.file(), t.before());
      Disk.moveAside(t.file());
    }
  }

  /**
   * Puts everything back and takes the traces away.
   *
   * @param why begins the message if that fails
   * @param failed what has failed before; may be null
   * @return a sentence for each file that stays as others have changed it
   */
  private List<String> undo(Journal journal, String why, IOException failed) throws IOException {
    List<String> said = List.of();
    try {
      step.before("go back");
      if (journal.phase() == Phase.CHANGED) { // it could not be synced
        journal.with(Phase.CHANGING).write(journal.first());
      }
      if (journal.phase() != Phase.UNCHANGED) {
        said = putBack(journal);
        journal.with(Phase.UNCHANGED).write(journal.first());
      }
    } catch (IOException again) {
      if (failed != null) {
        again.addSuppressed(failed);
      }
      throw goesOn(why + "nor is all put back: ", again);
    }
    end(journal);
    return said;
  }

  /** Puts files back, the last change first. */
  private List<String> putBack(Journal journal) throws IOException {
    List<String> said = new ArrayList<>();
    Set<Path> held = held(journal);
    List<Target> all = new ArrayList<>(journal.targets());
    Collections.reverse(all);
    for (Target t : all) {
      step.before("put back " + t.file());
      String now = Disk.hash(t.file());
      boolean isNeeded = held.contains(t.journal()) && t.before().isEmpty();
      if (!isChanged(t) || isNeeded || now.equals(t.before())) {
        continue;
      }
      Path aside = Disk.aside(t.file());
      if (!now.equals(t.after())) {
        said.add(
            t.file()
                + Disk.CHANGED
                + ": it stays"
                + (Disk.isThere(aside)
                    ? ", and how it was is in " + Disk.keep(aside, t.journal().getParent())
                    : ""));
      } else if (t.before().isEmpty()) {
        Disk.delete(t.file());
      } else if (Disk.isThere(aside)) {
        Disk.putBack(t.file());
      } else {
        said.add(t.file() + " stays, for " + aside + ", how it was, is gone");
      }
    }
    return said;
  }

  /**
   * The places into which Salus came for the first time, and where others have changed the settings
   * since: these may name classes, so what is new stays, and can be taken out later.
   */
  private static Set<Path> held(Journal journal) throws IOException {
    Set<Path> held = new LinkedHashSet<>();
    for (Target t : journal.targets()) {
      String now = Disk.hash(t.file());
      boolean isOfOthers =
          isChanged(t)
              && !t.before().isEmpty()
              && !now.isEmpty()
              && !now.equals(t.before())
              && !now.equals(t.after());
      if (isOfOthers && journal.isFirst(t.journal())) {
        held.add(t.journal());
      }
    }
    return held;
  }

  /** Whether a run has come so far as to change a file. */
  private static boolean isChanged(Target t) throws IOException {
    return t.after().isEmpty()
        ? Disk.isThere(Disk.aside(t.file()))
        : !Disk.isThere(Disk.staged(t.file()));
  }

  /** Takes all traces away. The first journal says that they are no more than that. */
  private void end(Journal journal) throws IOException {
    try {
      for (Target t : journal.targets()) {
        step.before("clean " + t.file());
        Disk.delete(Disk.staged(t.file()));
        Disk.delete(Disk.aside(t.file()));
      }
      List<Path> files = new ArrayList<>(journal.journals());
      Collections.reverse(files);
      for (Path file : files) {
        step.before("end " + file);
        Disk.delete(Journal.unfinished(file));
        Disk.delete(file);
      }
    } catch (IOException failed) {
      throw goesOn("not all traces are gone: ", failed);
    }
  }

  private static IOException goesOn(String what, IOException failed) {
    return new IOException(
        what + Disk.words(failed) + "; mend that, and run the same again: it goes on", failed);
  }

  /** Whether a run was cut off in one of these places. */
  static boolean isCutOff(List<Home> homes) throws IOException {
    for (Home home : homes) {
      if (Disk.isThere(home.journal())) {
        return true;
      }
    }
    return false;
  }

  /** The journals of the runs that were cut off in some places, and how far they came. */
  static List<Journal> cutOff(List<Home> homes) throws IOException {
    List<Journal> all = new ArrayList<>();
    for (Home home : homes) {
      if (Disk.isThere(home.journal())) {
        all.add(whole(home));
      }
    }
    return all;
  }

  /**
   * Undoes the runs that were cut off, or takes the traces of those away that had done all.
   *
   * @param homes this process must have locked them
   * @return a sentence for each, and for each file that stays as others have changed it
   * @throws IOException also when such a run has changed another place, too
   */
  List<String> recover(List<Home> homes) throws IOException {
    List<String> said = new ArrayList<>();
    for (Home home : homes) {
      if (Disk.isThere(home.journal())) {
        Journal journal = whole(home);
        requireAll(journal, homes);
        recover(journal, said);
      } else {
        Disk.delete(Journal.unfinished(home.journal())); // that run had not done anything yet
      }
    }
    return said;
  }

  /** What is undone in one place only could be missed there: nobody has asked about it. */
  private static void requireAll(Journal journal, List<Home> homes) throws IOException {
    for (Path file : journal.journals()) {
      if (homes.stream().noneMatch(h -> h.journal().equals(file))) {
        Path state = file.getParent();
        throw new IOException(
            "an earlier '"
                + journal.what()
                + "' was cut off there and in another place, too: give that as well, with --"
                + state.getFileName()
                + " "
                + state.getParent().getParent());
      }
    }
  }

  /**
   * The journal that says how far a run came, without the places that are gone or where it has
   * ended: another one may have been there since. If the first one is gone, only the files can tell
   * how far the run came in the others.
   */
  private static Journal whole(Home home) throws IOException {
    Journal own = Journal.read(home.journal());
    if (!own.journals().contains(home.journal())) {
      throw new IOException(
          "a run was cut off in "
              + own.first().getParent().getParent().getParent()
              + ", and "
              + home.root()
              + " was moved or copied from there since: move it back and run the same there, or copy"
              + " it anew after that");
    }
    Set<Path> live = new LinkedHashSet<>();
    for (Path file : own.journals()) {
      if (Disk.isThere(file) && Journal.read(file).id().equals(own.id())) {
        live.add(file);
      }
    }
    Journal reached =
        live.contains(own.first()) ? Journal.read(own.first()) : own.with(Phase.CHANGING);
    return reached.in(live::contains);
  }

  private void recover(Journal journal, List<String> said) throws IOException {
    String run = "an earlier '" + journal.what() + "' was cut off";
    if (journal.phase() == Phase.CHANGED) {
      end(journal);
      said.add(run + " when all was done: restart the daemons if you have not since");
    } else {
      List<String> changed = undo(journal, run + ", ", null);
      said.add(run + "; it is undone now");
      said.addAll(changed);
    }
  }
}
