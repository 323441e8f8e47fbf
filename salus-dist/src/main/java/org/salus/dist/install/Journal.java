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
 * What a run was about to do. Every place that it changes has one; the first one says whether it is
 * decided. Immutable.
 *
 * @param what install or uninstall
 * @param journals the files with this journal, that of the first place first
 * @param decided whether all files are staged, so that the run must be finished
 * @param puts the files that are staged and then put
 * @param deletes the files that are deleted
 */
record Journal(
    String what, List<Path> journals, boolean decided, List<Path> puts, List<Path> deletes) {
  private static final String JOURNAL = "journal.";
  private static final String PUT = "put.";
  private static final String DELETE = "delete.";
  private static final String DECIDED = "decided";
  private static final String WHAT = "what";

  Journal {
    journals = List.copyOf(journals);
    puts = List.copyOf(puts);
    deletes = List.copyOf(deletes);
  }

  static Journal of(String what, List<Home> homes, List<Change> changes) {
    List<Path> puts = new ArrayList<>();
    List<Path> deletes = new ArrayList<>();
    for (Change c : changes) {
      (c instanceof Change.Delete ? deletes : puts).add(c.target());
    }
    return new Journal(what, homes.stream().map(Home::journal).toList(), false, puts, deletes);
  }

  /** That of a file. */
  static Journal read(Path file) throws IOException {
    Properties p = new Properties();
    try {
      p.load(new ByteArrayInputStream(Files.readAllBytes(file)));
      return new Journal(
          p.getProperty(WHAT),
          paths(p, JOURNAL),
          Boolean.parseBoolean(p.getProperty(DECIDED)),
          paths(p, PUT),
          paths(p, DELETE));
    } catch (RuntimeException damaged) {
      throw new IOException(file + " is damaged: put it back from a backup", damaged);
    }
  }

  private static List<Path> paths(Properties p, String key) {
    List<Path> paths = new ArrayList<>();
    for (int i = 0; p.containsKey(key + i); i++) {
      paths.add(Path.of(p.getProperty(key + i)));
    }
    return paths;
  }

  /** The file that says whether the run is decided. */
  Path first() {
    return journals.get(0);
  }

  Journal decide() {
    return new Journal(what, journals, true, puts, deletes);
  }

  /** Writes it to one of its files. */
  void write(Path file) throws IOException {
    Properties p = new Properties();
    p.setProperty(WHAT, what);
    p.setProperty(DECIDED, Boolean.toString(decided));
    put(p, JOURNAL, journals);
    put(p, PUT, puts);
    put(p, DELETE, deletes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    p.store(out, "The next 'salus install' or 'salus uninstall' finishes or undoes this.");
    DurableFile.write(file, out.toByteArray());
  }

  private static void put(Properties p, String key, List<Path> paths) {
    for (int i = 0; i < paths.size(); i++) {
      p.setProperty(key + i, paths.get(i).toString());
    }
  }
}
