package org.salus.dist.install;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.dist.need.Need;
import org.salus.dist.need.Need.Must;
import org.salus.dist.need.NeededJars;

/** Works out what is to be done so that a place has Salus. Changes nothing. */
final class InstallPlanner {
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private final Jars jars;
  private final InstantSource clock;
  private final boolean mayGoBack;

  /**
   * @param mayGoBack whether these jars may be older than those that are there
   */
  InstallPlanner(Jars jars, InstantSource clock, boolean mayGoBack) {
    this.jars = jars;
    this.clock = clock;
    this.mayGoBack = mayGoBack;
  }

  /** A file of settings as it is to be. */
  private record Edited(String text, List<Edit> edits, Collection<String> notes) {}

  /** The jars that are Salus' to take out, by name and content, and what is done for that. */
  private record JarPlan(
      Map<String, String> hashes, List<Change> changes, boolean replaces, List<String> notes) {}

  /**
   * Plans for one place.
   *
   * @param needs the settings that it is to have
   * @throws IOException when Salus cannot be put there; the message says what to do
   */
  Plan plan(Home home, List<Need> needs) throws IOException {
    Optional<Manifest> old = Manifest.read(home);
    if (old.isPresent()) {
      requireSame(home, old.get());
    }
    byte[] site = Files.readAllBytes(home.site());
    String before = new String(site, StandardCharsets.ISO_8859_1);
    Edited edited = edit(home, before, old.map(Manifest::edits).orElse(List.of()), needs);
    JarPlan jarPlan = jars(home, old);
    List<Change> changes = new ArrayList<>(jarPlan.changes());
    List<String> backups = new ArrayList<>(old.map(Manifest::backups).orElse(List.of()));
    List<String> notes = new ArrayList<>(jarPlan.notes());
    if (!edited.text().equals(before)) {
      if (!isKept(home, site, backups)) {
        Path backup = backup(home);
        backups.add(backup.getFileName().toString());
        changes.add(0, new Change.Write(backup, "", site, home.site()));
      }
      byte[] text = SiteText.bytes(edited.text());
      changes.add(new Change.Write(home.site(), Jars.hash(site), text, home.site()));
      hardLinks(home.site()).ifPresent(notes::add);
    }
    Manifest next =
        new Manifest(
            jars.salus(),
            home.noted(home.jars()),
            jarPlan.hashes(),
            home.noted(home.conf()),
            home.noted(home.site()),
            edited.edits(),
            backups);
    if (old.isEmpty() || !old.get().equals(next)) {
      String was = Disk.hash(home.manifest());
      changes.add(new Change.Write(home.manifest(), was, next.toBytes(), null));
    }
    notes.addAll(edited.notes());
    home.java().ifPresent(notes::add);
    Plan plan = new Plan(home, before, edited.text(), changes, jarPlan.replaces(), notes);
    return plan.with(Advice.of(plan));
  }

  private void requireSame(Home home, Manifest old) throws IOException {
    Path site = home.site(home.root().resolve(old.conf()));
    if (Files.exists(site) && !site.equals(home.site())) {
      throw new IOException(
          "Salus is installed in "
              + home.root()
              + " with its settings in "
              + site
              + ", not in "
              + home.site()
              + ": give that directory, or run 'salus uninstall' first");
    }
    if (!mayGoBack && Version.parse(jars.salus()).compareTo(Version.parse(old.salus())) < 0) {
      throw new IOException(
          "in "
              + home.root()
              + " is Salus "
              + old.salus()
              + ", and this is "
              + jars.salus()
              + ", which may not read what that one has written: use bin/salus of "
              + old.salus()
              + "; to go back on purpose, stop all and add --downgrade");
    }
  }

  /** A sentence if a file has more names, which would keep what is in it now. */
  private static Optional<String> hardLinks(Path file) throws IOException {
    Object names = Files.getAttribute(file, "unix:nlink");
    return names.equals(1)
        ? Optional.empty()
        : Optional.of(
            file + " has " + names + " names (hard links): what the others name stays as it is");
  }

  private static boolean isKept(Home home, byte[] content, List<String> backups)
      throws IOException {
    for (String name : backups) {
      Path b = home.state().resolve(name);
      if (Files.exists(b) && Arrays.equals(Files.readAllBytes(b), content)) {
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
  private static Edited edit(Home home, String before, List<Edit> known, List<Need> needs)
      throws IOException {
    Map<String, String> now = read(home, before);
    SiteEditor undoing = new SiteEditor(home.site(), before);
    List<Edit> made = undoing.made(known, needs);
    if (needs.stream().allMatch(n -> n.isMetBy(now.getOrDefault(n.key(), "")))) {
      return new Edited(before, made, List.of());
    }
    Collection<String> kept = undoing.undo(made).values();
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
    return new Edited(editor.text(), editor.edits(), kept);
  }

  private static void put(SiteEditor editor, Need n, String value) throws IOException {
    String whole = String.join(",", extended(n, value));
    if (value.isEmpty()) {
      editor.add(n.key(), whole, List.of(n.value()));
    } else {
      editor.extend(n.key(), List.of(n.value()), whole);
    }
  }

  /** A list with what is needed. */
  private static List<String> extended(Need n, String value) {
    List<String> list = new ArrayList<>(Need.list(value.isEmpty() ? n.fallback() : value));
    if (!list.contains(n.value())) {
      list.add(n.value());
    }
    return list;
  }

  /** Reads the new text as HDFS and HBase do, who may take other values than those at the end. */
  private static void requireRead(
      Home home, Map<String, String> own, Map<String, String> after, List<Need> needs)
      throws IOException {
    for (Need n : needs) {
      String value = after.getOrDefault(n.key(), "");
      boolean isRead =
          n.must() != Must.NAME
              || Need.list(value.isEmpty() ? n.fallback() : value)
                  .equals(extended(n, own.getOrDefault(n.key(), "").strip()));
      if (!n.isMetBy(value) || !isRead) {
        throw new IOException(
            home.site()
                + ": "
                + n.key()
                + " would be read as "
                + value
                + ", because it is final, stands there twice or uses another setting: "
                + (n.must() == Must.NAME
                    ? "put " + n.value() + " into it"
                    : "set it to " + n.value())
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
    return home.settings(SiteText.bytes(text));
  }

  private JarPlan jars(Home home, Optional<Manifest> old) throws IOException {
    Set<String> ours = new TreeSet<>();
    old.ifPresent(m -> ours.addAll(m.jars().keySet()));
    Map<String, Path> others = new TreeMap<>(home.classPath());
    Path place = home.jars().toRealPath();
    others.entrySet().removeIf(e -> isIn(place, e.getValue()) && ours.contains(e.getKey()));
    List<String> artifacts = new ArrayList<>(home.product().jars());
    for (String library : home.product().libraries()) {
      if (NeededJars.version(others.keySet(), library).isEmpty()) {
        artifacts.add(library);
      }
    }
    Map<String, String> before = old.map(Manifest::jars).orElse(Map.of());
    Map<String, String> hashes = new TreeMap<>();
    Set<Path> targets = new TreeSet<>();
    List<Change> changes = new ArrayList<>();
    List<String> notes = new ArrayList<>();
    boolean replaces = false;
    for (String artifact : artifacts) {
      Path source = jars.of(artifact);
      String name = source.getFileName().toString();
      String hash = Jars.hash(source);
      Path target = home.jars().resolve(name);
      String now = Disk.hash(target);
      targets.add(real(target));
      if (now.equals(hash)) {
        others.remove(name, real(target)); // somebody has put the same there
      } else {
        changes.add(new Change.Copy(target, now, source));
        replaces |= !now.isEmpty() && Jars.isOfSalus(name);
        if (!now.isEmpty() && !now.equals(before.get(name))) {
          notes.add(target + " was changed since it was installed: it is replaced");
        }
      }
      if (!now.equals(hash) || before.containsKey(name)) {
        hashes.put(name, hash);
      } else {
        notes.add(target + " was there already: 'salus uninstall' will leave it there");
      }
    }
    requireNoOther(others);
    for (Map.Entry<String, String> was : before.entrySet()) {
      Path file = home.root().resolve(old.orElseThrow().jarsDir()).resolve(was.getKey());
      String now = Disk.hash(file);
      boolean isSalus = Jars.isOfSalus(was.getKey());
      if (now.isEmpty() || targets.contains(real(file))) {
        continue;
      }
      if (!isSalus && !now.equals(was.getValue())) {
        notes.add(Jars.stays(file));
        continue;
      }
      changes.add(new Change.Delete(file, now));
      replaces |= isSalus;
    }
    return new JarPlan(hashes, changes, replaces, notes);
  }

  /** A file by its name in its directory, whatever links lead there. */
  private static Path real(Path file) throws IOException {
    return file.getParent().toRealPath().resolve(file.getFileName());
  }

  private static boolean isIn(Path dir, Path file) {
    return dir.equals(file.getParent());
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
