package org.salus.dist.install;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.salus.host.DurableFile;

/**
 * What a run was about to do. Every place that it changes has one; the first one says how far it
 * came. Immutable.
 *
 * @param what install or uninstall
 * @param journals the files with this journal, that of the first place first
 * @param phase how far it came
 * @param puts the files that are staged and then put
 * @param deletes the files that are deleted
 */
record Journal(
    String what, List<Path> journals, Phase phase, List<Target> puts, List<Target> deletes) {
  /** How far a run came. */
  enum Phase {
    /** Nothing has changed. Files may be staged. */
    BEGUN,
    /** All files are staged, so that the run can be finished. */
    DECIDED,
    /** All is changed. The old files may still be beside the new ones. */
    DONE,
    /** A change failed, and what was changed is put back. */
    BACK
  }

  /**
   * A file that changes.
   *
   * @param before the hash of its content before the run; empty if it was not there
   * @param after the same for its content after the run
   */
  record Target(Path file, String before, String after) {}

  private static final String JOURNAL = "journal.";
  private static final String PUT = "put.";
  private static final String DELETE = "delete.";
  private static final String PHASE = "phase";
  private static final String WHAT = "what";
  private static final String BEFORE = ".before";
  private static final String AFTER = ".after";

  Journal {
    journals = List.copyOf(journals);
    puts = List.copyOf(puts);
    deletes = List.copyOf(deletes);
  }

  static Journal of(String what, List<Home> homes, List<Change> changes) throws IOException {
    List<Target> puts = new ArrayList<>();
    List<Target> deletes = new ArrayList<>();
    for (Change c : changes) {
      Target target = new Target(c.target(), Disk.hash(c.target()), after(c));
      (c instanceof Change.Delete ? deletes : puts).add(target);
    }
    return new Journal(
        what, homes.stream().map(Home::journal).toList(), Phase.BEGUN, puts, deletes);
  }

  private static String after(Change c) throws IOException {
    if (c instanceof Change.Write w) {
      return Jars.hash(w.content());
    }
    return c instanceof Change.Copy copy ? Jars.hash(copy.source()) : "";
  }

  /** That of a file. */
  static Journal read(Path file) throws IOException {
    Properties p = new Properties();
    try {
      p.load(new ByteArrayInputStream(Files.readAllBytes(file)));
      return new Journal(
          p.getProperty(WHAT),
          targets(p, JOURNAL).stream().map(Target::file).toList(),
          Phase.valueOf(p.getProperty(PHASE)),
          targets(p, PUT),
          targets(p, DELETE));
    } catch (RuntimeException damaged) {
      throw new IOException(file + " is damaged: put it back from a backup", damaged);
    }
  }

  private static List<Target> targets(Properties p, String key) {
    List<Target> targets = new ArrayList<>();
    for (int i = 0; p.containsKey(key + i); i++) {
      targets.add(
          new Target(
              Path.of(p.getProperty(key + i)),
              p.getProperty(key + i + BEFORE, ""),
              p.getProperty(key + i + AFTER, "")));
    }
    return targets;
  }

  /** The file that says how far the run came. */
  Path first() {
    return journals.get(0);
  }

  Journal with(Phase next) {
    return new Journal(what, journals, next, puts, deletes);
  }

  /** Writes it to one of its files. */
  void write(Path file) throws IOException {
    Properties p = new Properties();
    p.setProperty(WHAT, what);
    p.setProperty(PHASE, phase.name());
    for (int i = 0; i < journals.size(); i++) {
      p.setProperty(JOURNAL + i, journals.get(i).toString());
    }
    put(p, PUT, puts);
    put(p, DELETE, deletes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    p.store(out, "The next 'salus install' or 'salus uninstall' finishes or undoes this.");
    DurableFile.write(file, out.toByteArray());
  }

  private static void put(Properties p, String key, List<Target> targets) {
    for (int i = 0; i < targets.size(); i++) {
      Target t = targets.get(i);
      p.setProperty(key + i, t.file().toString());
      p.setProperty(key + i + BEFORE, t.before());
      p.setProperty(key + i + AFTER, t.after());
    }
  }

  /** What a write of a journal leaves behind if it is cut off. */
  static Path unfinished(Path journal) {
    return journal.resolveSibling(journal.getFileName() + ".new");
  }
}
