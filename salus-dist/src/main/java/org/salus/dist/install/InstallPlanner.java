package org.salus.dist.install;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.dist.data.SettingsFile;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;
import org.salus.dist.need.NeededJars;

/** Works out what is to be done so that a place has Salus. Changes nothing. */
final class InstallPlanner {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Jars jars;
  private final InstantSource clock;

  InstallPlanner(Jars jars, InstantSource clock) {
    this.jars = jars;
    this.clock = clock;
  }

  /** A file of settings as it is to be. */
  private record Edited(String text, List<Edit> edits) {}

  /** The jars that are to be there: which one under which name, and with which content. */
  private record JarPlan(
      Map<String, String> hashes,
      List<Change> changes,
      List<String> copied,
      List<String> removed) {}

  /**
   * Plans for one place.
   *
   * @param needs the settings that it is to have
   * @throws IOException when Salus cannot be put there; the message says what to do
   */
  Plan plan(Home home, List<Need> needs) throws IOException {
    Optional<Manifest> old = Manifest.read(home);
    if (old.isPresent() && !old.get().site().equals(home.site())) {
      throw new IOException(
          "Salus is installed in "
              + home.root()
              + " with its settings in "
              + old.get().site()
              + ", not in "
              + home.site()
              + ": give that directory, or run 'salus uninstall' first");
    }
    String before = Files.readString(home.site(), StandardCharsets.ISO_8859_1);
    List<Edit> made = old.map(Manifest::edits).orElse(List.of());
    Edited edited = edit(home, before, made, needs);
    JarPlan jarPlan = jars(home, old);
    List<Change> changes = new ArrayList<>(jarPlan.changes());
    List<Path> backups = new ArrayList<>(old.map(Manifest::backups).orElse(List.of()));
    if (!edited.text().equals(before)) {
      if (!isKept(before, backups)) {
        Path backup = backup(home);
        backups.add(backup);
        changes.add(0, new Change.Write(backup, bytes(before), home.site()));
      }
      changes.add(new Change.Write(home.site(), bytes(edited.text()), home.site()));
    }
    Manifest next =
        new Manifest(
            jars.salus(), home.jars(), jarPlan.hashes(), home.site(), edited.edits(), backups);
    if (old.isEmpty() || !old.get().equals(next)) {
      changes.add(new Change.Write(home.manifest(), next.toBytes(), null));
    }
    return new Plan(
        home, before, edited.text(), jarPlan.copied(), jarPlan.removed(), changes, List.of());
  }

  private static boolean isKept(String content, List<Path> backups) throws IOException {
    for (Path b : backups) {
      if (Files.exists(b) && Arrays.equals(Files.readAllBytes(b), bytes(content))) {
        return true;
      }
    }
    return false;
  }

  /** A name that no backup has. */
  private Path backup(Home home) {
    String name = home.product().site() + ".before-" + NAME.format(clock.instant());
    Path backup = home.state().resolve(name);
    for (int i = 2; Files.exists(backup); i++) {
      backup = home.state().resolve(name + "-" + i);
    }
    return backup;
  }

  /** Changes that were made before are made anew if something is missing. */
  private static Edited edit(Home home, String before, List<Edit> made, List<Need> needs)
      throws IOException {
    Map<String, String> now = read(home, before);
    if (needs.stream().allMatch(n -> n.isMetBy(now.getOrDefault(n.key(), "")))) {
      return new Edited(before, made);
    }
    SiteEditor undoing = new SiteEditor(home.site(), before);
    undoing.undo(made);
    SiteEditor editor = new SiteEditor(home.site(), undoing.text());
    Map<String, String> own = read(home, editor.text());
    List<Need> contradicted = new ArrayList<>();
    for (Need n : needs) {
      String value = own.getOrDefault(n.key(), "").strip();
      if (n.isMetBy(value)) {
        continue;
      }
      if (n.must() == Must.NAME) {
        put(editor, n, value);
      } else if (value.isEmpty() && n.must() != Must.NOT_DIFFER_FROM) {
        editor.add(n.key(), n.value(), List.of());
      } else {
        contradicted.add(n);
      }
    }
    Wanted.requireNone(home, own, contradicted);
    requireRead(home, own, read(home, editor.text()), needs);
    return new Edited(editor.text(), editor.edits());
  }

  private static void put(SiteEditor editor, Need n, String value) throws IOException {
    List<String> list = new ArrayList<>(Need.list(value.isEmpty() ? n.fallback() : value));
    list.add(n.value());
    String whole = String.join(",", list);
    if (value.isEmpty()) {
      editor.add(n.key(), whole, List.of(n.value()));
    } else {
      editor.extend(n.key(), List.of(n.value()), whole);
    }
  }

  /** Reads the new text as HDFS and HBase do, who may take other values than those at the end. */
  private static void requireRead(
      Home home, Map<String, String> own, Map<String, String> after, List<Need> needs)
      throws IOException {
    for (Need n : needs) {
      if (!n.isMetBy(after.getOrDefault(n.key(), ""))) {
        throw new IOException(
            home.site()
                + ": "
                + n.key()
                + " would stay "
                + after.get(n.key())
                + " there, because it is final or stands there twice: set it to "
                + n.value()
                + " yourself");
      }
    }
    Set<String> others = Wanted.changed(own, after, needs);
    if (!others.isEmpty()) {
      throw new IOException(
          home.site() + " uses settings in others, and these would change: " + others);
    }
  }

  private static Map<String, String> read(Home home, String text) throws IOException {
    return SettingsFile.read(home.site(), bytes(text));
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private JarPlan jars(Home home, Optional<Manifest> old) throws IOException {
    Set<String> ours = new TreeSet<>();
    old.ifPresent(m -> ours.addAll(m.jars().keySet()));
    Map<String, Path> others = new TreeMap<>(home.classPath());
    others.entrySet().removeIf(e -> ours.contains(e.getKey()) && isIn(home, e.getValue()));
    List<String> artifacts = new ArrayList<>(home.product().jars());
    for (String library : home.product().libraries()) {
      if (NeededJars.version(others.keySet(), library).isEmpty()) {
        artifacts.add(library);
      }
    }
    Map<String, String> hashes = new TreeMap<>();
    List<Change> changes = new ArrayList<>();
    List<String> copied = new ArrayList<>();
    for (String artifact : artifacts) {
      Path source = jars.of(artifact);
      String name = source.getFileName().toString();
      String hash = Jars.hash(source);
      Path target = home.jars().resolve(name);
      hashes.put(name, hash);
      if (!Files.exists(target) || !Jars.hash(target).equals(hash)) {
        changes.add(new Change.Copy(target, source));
        copied.add(name);
      } else {
        others.remove(name, target); // somebody has put the same there
      }
    }
    requireNoOther(others);
    List<String> removed = new ArrayList<>();
    old.ifPresent(
        m -> {
          for (String name : m.jars().keySet()) {
            Path file = m.jarsDir().resolve(name);
            if ((!hashes.containsKey(name) || !isIn(home, file)) && Files.exists(file)) {
              changes.add(new Change.Delete(file));
              removed.add(name);
            }
          }
        });
    return new JarPlan(hashes, changes, copied, removed);
  }

  private static boolean isIn(Home home, Path file) {
    return home.jars().equals(file.getParent());
  }

  private static void requireNoOther(Map<String, Path> others) throws IOException {
    List<Path> salus =
        others.entrySet().stream()
            .filter(e -> Jars.isOfSalus(e.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    if (!salus.isEmpty()) {
      throw new IOException(
          "somebody else has put other jars of Salus there, "
              + salus
              + ": move them away and run this again");
    }
  }
}
