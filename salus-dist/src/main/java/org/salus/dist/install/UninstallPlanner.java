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
import java.util.TreeMap;

/** Works out what is to be done so that a place is as it was without Salus. Changes nothing. */
final class UninstallPlanner {
  private static final String CLASSES = "org.salus.";

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
    List<Change> changes = new ArrayList<>();
    String before = Files.readString(site, StandardCharsets.ISO_8859_1);
    SiteEditor editor = new SiteEditor(site, before);
    List<String> notes = new ArrayList<>(editor.undo(m.edits()));
    String after = editor.text();
    if (!after.equals(before)) {
      changes.add(new Change.Write(site, InstallPlanner.bytes(after), site));
    }
    List<String> removed = removed(home, m, changes, notes);
    if (!removed.isEmpty()) {
      requireNoClasses(home, after);
    }
    List<Path> backups =
        m.backups().stream().distinct().map(home.state()::resolve).filter(Files::exists).toList();
    if (!backups.isEmpty()) {
      if (Arrays.equals(Files.readAllBytes(backups.get(0)), InstallPlanner.bytes(after))) {
        backups.forEach(b -> changes.add(new Change.Delete(b)));
      } else {
        notes.add(
            site + " is not as before Salus came; how it was then stays in " + backups.get(0));
      }
    }
    changes.add(new Change.Delete(home.manifest()));
    return new Plan(home, before, after, List.of(), removed, changes, false, notes);
  }

  /** The jars that are as they were copied. */
  private static List<String> removed(
      Home home, Manifest m, List<Change> changes, List<String> notes) throws IOException {
    List<String> removed = new ArrayList<>();
    for (Map.Entry<String, String> jar : m.jars().entrySet()) {
      Path file = home.jars().resolve(jar.getKey());
      if (!Files.exists(file)) {
        notes.add(file + " is gone already");
      } else if (Jars.hash(file).equals(jar.getValue())) {
        changes.add(new Change.Delete(file));
        removed.add(jar.getKey());
      } else {
        notes.add(file + " was changed since it was installed: it stays, delete it yourself");
      }
    }
    return removed;
  }

  /** A daemon does not start if it is to have a class that it has not. */
  private static void requireNoClasses(Home home, String after) throws IOException {
    Map<String, String> left = new TreeMap<>(home.settings(InstallPlanner.bytes(after)));
    left.values().removeIf(value -> !value.contains(CLASSES));
    if (!left.isEmpty()) {
      throw new IOException(
          home.site()
              + " would still name classes of Salus, because 'salus install' has not put them there"
              + " or somebody has changed them since: take them out yourself, and run this again: "
              + left);
    }
  }
}
