package org.salus.dist.install;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.salus.host.DurableFile;

/**
 * What a run was about to do. Every place that it changes has one; the first one says how far it
 * came. Immutable.
 *
 * @param id no other run has it
 * @param what install or uninstall
 * @param journals the files with this journal, that of the first place first
 * @param phase how far it came
 * @param puts the files that are staged and then put
 * @param deletes the files that are deleted
 */
record Journal(
    String id,
    String what,
    List<Path> journals,
    Phase phase,
    List<Target> puts,
    List<Target> deletes) {
  /** How far a run came. */
  enum Phase {
    /** Nothing has changed, or all is put back. Files may be beside the targets. */
    UNCHANGED,
    /** Some files have changed. The old ones are beside the new ones. */
    CHANGING,
    /** All is changed. The old files may still be beside the new ones. */
    CHANGED
  }

  /**
   * A file that changes.
   *
   * @param journal the one of its place
   * @param before the hash of its content before the run; empty if it was not there
   * @param after the same for its content after the run
   */
  record Target(Path journal, Path file, String before, String after) {
    /** Only a file of settings may be elsewhere, by any name. It is never made or deleted. */
    private boolean isInPlace() {
      Path state = journal.getParent();
      Path root = state.getParent().getParent();
      return file.isAbsolute()
          && file.equals(file.normalize())
          && (file.getParent().equals(state)
              || file.startsWith(root) && file.toString().endsWith(JAR)
              || !before.isEmpty() && !after.isEmpty());
    }

    /** Whether it is the file of settings. */
    boolean isSite() {
      return !file.startsWith(journal.getParent()) && !file.toString().endsWith(JAR);
    }
  }

  private static final String JAR = ".jar";
  private static final String JOURNAL = "journal.";
  private static final String PUT = "put.";
  private static final String DELETE = "delete.";
  private static final String PHASE = "phase";
  private static final String WHAT = "what";
  private static final String ID = "id";
  private static final String PLACE = ".place";
  private static final String BEFORE = ".before";
  private static final String AFTER = ".after";

  /** Makes none that could not be read again. */
  Journal {
    journals = List.copyOf(journals);
    puts = List.copyOf(puts);
    deletes = List.copyOf(deletes);
    boolean areInPlace = Stream.concat(puts.stream(), deletes.stream()).allMatch(Target::isInPlace);
    if (id == null || !areInPlace) {
      throw new IllegalArgumentException("it names files of others: " + puts + deletes);
    }
  }

  static Journal of(String what, List<Plan> plans) throws IOException {
    List<Path> journals = new ArrayList<>();
    List<Target> puts = new ArrayList<>();
    List<Target> deletes = new ArrayList<>();
    for (Plan plan : plans) {
      Path journal = plan.home().journal();
      journals.add(journal);
      for (Change c : plan.changes()) {
        Target target = new Target(journal, c.target(), c.before(), after(c));
        (c instanceof Change.Delete ? deletes : puts).add(target);
      }
    }
    String id = UUID.randomUUID().toString();
    return new Journal(id, what, journals, Phase.UNCHANGED, puts, deletes);
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
      List<Path> journals = new ArrayList<>();
      for (int i = 0; p.containsKey(JOURNAL + i); i++) {
        journals.add(Path.of(p.getProperty(JOURNAL + i)));
      }
      return new Journal(
          p.getProperty(ID),
          p.getProperty(WHAT),
          journals,
          Phase.valueOf(p.getProperty(PHASE)),
          targets(p, PUT, journals),
          targets(p, DELETE, journals));
    } catch (RuntimeException damaged) {
      throw new IOException(file + " is damaged: put it back from a backup", damaged);
    }
  }

  private static List<Target> targets(Properties p, String key, List<Path> journals) {
    List<Target> targets = new ArrayList<>();
    for (int i = 0; p.containsKey(key + i); i++) {
      targets.add(
          new Target(
              journals.get(Integer.parseInt(p.getProperty(key + i + PLACE))),
              Path.of(p.getProperty(key + i)),
              p.getProperty(key + i + BEFORE),
              p.getProperty(key + i + AFTER)));
    }
    return targets;
  }

  /** The file that says how far the run came. */
  Path first() {
    return journals.get(0);
  }

  /** All files that change, in their order. */
  List<Target> targets() {
    return Stream.concat(puts.stream(), deletes.stream()).toList();
  }

  /** Whether Salus was not in a place before. */
  boolean isFirst(Path place) {
    Path manifest = place.resolveSibling(Manifest.FILE);
    return puts.stream().anyMatch(t -> t.file().equals(manifest) && t.before().isEmpty());
  }

  /** Whether jars of Salus go, or others come in their place. */
  boolean replaces() {
    return targets().stream()
        .anyMatch(t -> !t.before().isEmpty() && Jars.isOfSalus(t.file().getFileName().toString()));
  }

  Journal with(Phase next) {
    return new Journal(id, what, journals, next, puts, deletes);
  }

  /** Only the places with such journals. */
  Journal in(Predicate<Path> places) {
    return new Journal(
        id,
        what,
        journals.stream().filter(places).toList(),
        phase,
        puts.stream().filter(t -> places.test(t.journal())).toList(),
        deletes.stream().filter(t -> places.test(t.journal())).toList());
  }

  /** Writes it to one of its files. */
  void write(Path file) throws IOException {
    Properties p = new Properties();
    p.setProperty(ID, id);
    p.setProperty(WHAT, what);
    p.setProperty(PHASE, phase.name());
    for (int i = 0; i < journals.size(); i++) {
      p.setProperty(JOURNAL + i, journals.get(i).toString());
    }
    put(p, PUT, puts);
    put(p, DELETE, deletes);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    p.store(out, "The next 'salus install' or 'salus uninstall' undoes this.");
    DurableFile.write(file, out.toByteArray());
  }

  private void put(Properties p, String key, List<Target> targets) {
    for (int i = 0; i < targets.size(); i++) {
      Target t = targets.get(i);
      p.setProperty(key + i, t.file().toString());
      p.setProperty(key + i + PLACE, Integer.toString(journals.indexOf(t.journal())));
      p.setProperty(key + i + BEFORE, t.before());
      p.setProperty(key + i + AFTER, t.after());
    }
  }

  /** What a write of a journal leaves behind if it is cut off. */
  static Path unfinished(Path journal) {
    return journal.resolveSibling(journal.getFileName() + ".new");
  }
}
