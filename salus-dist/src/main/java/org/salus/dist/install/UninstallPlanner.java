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

/** Works out what is to be done so that a place is as it was without Salus. Changes nothing. */
final class UninstallPlanner {
  private UninstallPlanner() {}

  /** Plans for one place; empty if Salus is not installed there. */
  static Optional<Plan> plan(Home home) throws IOException {
    Optional<Manifest> installed = Manifest.read(home);
    return installed.isEmpty() ? Optional.empty() : Optional.of(plan(home, installed.get()));
  }

  private static Plan plan(Home home, Manifest m) throws IOException {
    List<Change> changes = new ArrayList<>();
    List<String> removed = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    String before = "";
    String after = "";
    if (!Files.exists(m.site())) {
      notes.add(m.site() + " is gone, so nothing is taken out of it");
    } else {
      before = Files.readString(m.site(), StandardCharsets.ISO_8859_1);
      SiteEditor editor = new SiteEditor(m.site(), before);
      notes.addAll(editor.undo(m.edits()));
      after = editor.text();
      if (!after.equals(before)) {
        changes.add(new Change.Write(m.site(), InstallPlanner.bytes(after), m.site()));
      }
    }
    for (Map.Entry<String, String> jar : m.jars().entrySet()) {
      Path file = m.jarsDir().resolve(jar.getKey());
      if (Files.exists(file) && Jars.hash(file).equals(jar.getValue())) {
        changes.add(new Change.Delete(file));
        removed.add(jar.getKey());
      } else if (Files.exists(file)) {
        notes.add(file + " was changed since it was installed: it stays, delete it yourself");
      }
    }
    List<Path> backups = m.backups().stream().distinct().filter(Files::exists).toList();
    if (!backups.isEmpty()) {
      if (Arrays.equals(Files.readAllBytes(backups.get(0)), InstallPlanner.bytes(after))) {
        backups.forEach(b -> changes.add(new Change.Delete(b)));
      } else {
        notes.add(
            m.site() + " is not as before Salus came; how it was then stays in " + backups.get(0));
      }
    }
    changes.add(new Change.Delete(home.manifest()));
    return new Plan(home, before, after, List.of(), removed, changes, notes);
  }
}
