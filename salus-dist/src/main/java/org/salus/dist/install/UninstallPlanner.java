package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;
import org.salus.dist.need.Needs;

/** Works out what is to be done so that a place is as it was without Salus. Changes nothing. */
final class UninstallPlanner {
  private static final String SETTINGS = "salus.";

  private UninstallPlanner() {}

  /** Plans for one place; empty if Salus is not installed there. */
  static Optional<Plan> plan(Home home) throws IOException {
    Optional<Manifest> installed = Manifest.read(home);
    return installed.isEmpty() ? Optional.empty() : Optional.of(plan(home, installed.get()));
  }

  private static Plan plan(Home home, Manifest m) throws IOException {
    Path site = home.site();
    if (!Files.exists(site)) {
      throw new IOException(
          "there is no "
              + site
              + " any more, so nobody can tell whether daemons still need Salus: put it back; if no"
              + " daemon reads it, one with <configuration/> alone will do");
    }
    byte[] content = Files.readAllBytes(site);
    String before = new String(content, StandardCharsets.ISO_8859_1);
    SiteEditor editor = new SiteEditor(site, before);
    Map<String, String> kept = editor.undo(m.edits());
    String after = editor.text();
    List<String> notes = new ArrayList<>(kept.values());
    List<Change> changes = new ArrayList<>();
    if (!after.equals(before)) {
      changes.add(new Change.Write(site, Jars.hash(content), SiteText.bytes(after), site));
    }
    addStaying(home, after, kept.keySet(), notes);
    if (addJars(home, m, changes, notes)) {
      requireNoClasses(home, after);
    }
    addBackups(home, m, SiteText.bytes(after), changes, notes);
    addOtherSite(home, m, notes);
    changes.add(new Change.Delete(home.manifest(), Disk.hash(home.manifest())));
    return new Plan(home, before, after, changes, false, notes);
  }

  /** Deletes the jars that are as they were copied. Returns whether there are some. */
  private static boolean addJars(Home home, Manifest m, List<Change> changes, List<String> notes)
      throws IOException {
    boolean any = false;
    for (Map.Entry<String, String> jar : m.jars().entrySet()) {
      Path file = home.jars().resolve(jar.getKey());
      String now = Disk.hash(file);
      if (now.isEmpty()) {
        notes.add(file + " is gone already");
      } else if (now.equals(jar.getValue())) {
        changes.add(new Change.Delete(file, now));
        any = true;
      } else {
        notes.add(Jars.stays(file));
      }
    }
    return any;
  }

  private static void addBackups(
      Home home, Manifest m, byte[] after, List<Change> changes, List<String> notes)
      throws IOException {
    List<Path> backups =
        m.backups().stream().distinct().map(home.state()::resolve).filter(Files::exists).toList();
    if (backups.isEmpty()) {
      return;
    }
    if (Arrays.equals(Files.readAllBytes(backups.get(0)), after)) {
      for (Path b : backups) {
        changes.add(new Change.Delete(b, Disk.hash(b)));
      }
    } else {
      notes.add(
          home.site() + " is not as before Salus came; how it was then stays in " + backups.get(0));
    }
  }

  /** A link may have led to another file when Salus came. */
  private static void addOtherSite(Home home, Manifest m, List<String> notes) throws IOException {
    Path was = home.root().resolve(m.site());
    if (!was.equals(home.site())
        && Files.isReadable(was)
        && SiteEditor.isIn(Files.readString(was, StandardCharsets.ISO_8859_1))) {
      notes.add(
          was
              + " has settings of Salus, too, and stays: when it was installed, that was the file of"
              + " settings, and now it is "
              + home.site()
              + "; take them out yourself");
    }
  }

  private static void addStaying(Home home, String after, Set<String> told, List<String> notes)
      throws IOException {
    Set<String> keys = new TreeSet<>(staying(home, after).keySet());
    keys.removeAll(told);
    if (!keys.isEmpty()) {
      notes.add(
          home.site()
              + " still has settings that Salus needs and that 'salus install' has not put there; take"
              + " out those that are Salus' yourself: "
              + String.join(", ", keys));
    }
  }

  /** The settings that may be there for Salus. */
  private static Map<String, String> staying(Home home, String after) throws IOException {
    Map<String, String> all = new TreeMap<>(home.settings(SiteText.bytes(after)));
    all.entrySet()
        .removeIf(
            s ->
                !s.getKey().startsWith(SETTINGS)
                    && !s.getValue().contains(SiteEditor.CLASSES)
                    && Needs.ALL.stream().noneMatch(n -> isMet(n, s.getKey(), s.getValue())));
    return all;
  }

  private static boolean isMet(Need n, String key, String value) {
    return n.key().equals(key) && n.must() != Must.NOT_DIFFER_FROM && n.isMetBy(value);
  }

  /** A daemon does not start if it is to have a class that it has not. */
  private static void requireNoClasses(Home home, String after) throws IOException {
    Map<String, String> left = staying(home, after);
    Set<String> all = Set.copyOf(left.keySet());
    left.values().removeIf(value -> !value.contains(SiteEditor.CLASSES));
    if (!left.isEmpty()) {
      throw new IOException(
          home.site()
              + " would still name classes of Salus, because 'salus install' has not put them there"
              + " or somebody has changed them since: take them out yourself, and run this again: "
              + left
              + "; all settings there that Salus needs are "
              + new TreeSet<>(all));
    }
  }
}
