package org.salus.dist.install;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Puts Salus into a Hadoop and an HBase and takes it out again, as a whole: into all places that
 * are given, or into none. For one thread.
 */
public final class Installer {
  private static final long SPARE_BYTES = 16 << 20;
  private static final String INSTALL = "salus install";
  private static final String UNINSTALL = "salus uninstall";

  private final Jars jars;
  private final InstantSource clock;
  private final Transaction transaction;

  /** What {@link #install} or {@link #uninstall} works out under the locks. */
  private interface Planner {
    List<Plan> plan() throws IOException;
  }

  /**
   * @param jars those that are installed
   */
  public Installer(Jars jars) {
    this(jars, InstantSource.system(), step -> {});
  }

  Installer(Jars jars, InstantSource clock, Transaction.Step step) {
    this.jars = jars;
    this.clock = clock;
    this.transaction = new Transaction(step);
  }

  /** The version of Salus that is installed. */
  public String version() throws IOException {
    return jars.salus();
  }

  /**
   * Works out what {@link #install} would do, and changes nothing.
   *
   * @throws IOException when it would refuse; the message says why, and the way out
   */
  public List<Plan> planInstall(List<Home> homes, Wishes wishes) throws IOException {
    requireWhole(homes);
    return plan(homes, wishes);
  }

  /** The same for {@link #uninstall}. */
  public List<Plan> planUninstall(List<Home> homes) throws IOException {
    requireWhole(homes);
    return uninstallPlans(homes);
  }

  private static void requireWhole(List<Home> homes) throws IOException {
    if (Transaction.isCutOff(homes)) {
      throw new IOException(
          "an earlier run was cut off: the next one without --dry-run undoes it first");
    }
  }

  private List<Plan> plan(List<Home> homes, Wishes wishes) throws IOException {
    Wanted wanted = new Wanted(homes, wishes);
    InstallPlanner planner = new InstallPlanner(jars, clock, wishes.downgrade());
    List<Plan> plans = new ArrayList<>();
    for (Home home : homes) {
      plans.add(planner.plan(home, wanted.needs(home.product())));
    }
    Plan last = plans.get(plans.size() - 1);
    plans.set(plans.size() - 1, last.with(wanted.notes()));
    return plans;
  }

  private static List<Plan> uninstallPlans(List<Home> homes) throws IOException {
    List<Plan> plans = new ArrayList<>();
    for (Home home : homes) {
      Optional<Plan> plan = UninstallPlanner.plan(home);
      plan.ifPresent(plans::add);
    }
    return plans;
  }

  /**
   * Installs Salus. A run that was cut off is undone first.
   *
   * @param progress takes a sentence about such a run
   * @return what was done; where nothing was to be done, an empty plan
   * @throws IOException when it refuses or fails; the message says why, and the way out
   */
  public List<Plan> install(List<Home> homes, Wishes wishes, Consumer<String> progress)
      throws IOException {
    return run(INSTALL, homes, () -> plan(homes, wishes), progress);
  }

  /**
   * Undoes a run that was cut off.
   *
   * @param progress takes a sentence about it
   */
  public void recover(List<Home> homes, Consumer<String> progress) throws IOException {
    if (Transaction.isCutOff(homes)) {
      run("", homes, List::of, progress);
    }
  }

  /**
   * Checks what {@link #install} would refuse when a run that was cut off is undone: it would leave
   * the place without Salus.
   *
   * @throws IOException when it would refuse; the message says why, and the way out
   */
  public static void requireWishes(List<Home> homes, Wishes wishes) throws IOException {
    List<Home> before = new ArrayList<>();
    for (Home home : homes) {
      before.add(home.before());
    }
    Wanted wanted = new Wanted(before, wishes);
    for (Home home : before) {
      wanted.needs(home.product());
    }
  }

  /** Whether {@link #recover} takes out what an install has put, and daemons may use. */
  public static boolean takesOut(List<Home> homes) throws IOException {
    return !undone(homes).isEmpty();
  }

  /** Whether {@link #recover} puts jars of another Salus back, as after an upgrade. */
  public static boolean putsBack(List<Home> homes) throws IOException {
    return undone(homes).stream().anyMatch(Journal::replaces);
  }

  /** The files of settings that {@link #recover} puts back as they were before an install. */
  public static List<Path> undoneSites(List<Home> homes) throws IOException {
    return undone(homes).stream()
        .flatMap(j -> j.targets().stream())
        .filter(Journal.Target::isSite)
        .map(Journal.Target::file)
        .toList();
  }

  private static List<Journal> undone(List<Home> homes) throws IOException {
    return Transaction.cutOff(homes).stream()
        .filter(j -> j.what().equals(INSTALL) && j.phase() == Journal.Phase.CHANGING)
        .toList();
  }

  /** Whether Salus is in any of these places. */
  public static boolean isInstalled(List<Home> homes) throws IOException {
    for (Home home : homes) {
      if (Disk.isThere(home.manifest())) {
        return true;
      }
    }
    return false;
  }

  /**
   * Takes Salus out.
   *
   * @return what was done; no plan of a place where it is not installed
   * @throws IOException when it fails; the message says why, and the way out
   */
  public List<Plan> uninstall(List<Home> homes, Consumer<String> progress) throws IOException {
    return run(UNINSTALL, homes, () -> uninstallPlans(homes), progress);
  }

  /** Who runs the region servers of the HBase that is among the places; empty if nobody knows. */
  public static Optional<String> regionServerUser(List<Home> homes, Wishes wishes)
      throws IOException {
    return new Wanted(homes, wishes).regionServerUser();
  }

  private List<Plan> run(String what, List<Home> homes, Planner planner, Consumer<String> progress)
      throws IOException {
    try (HomeLocks locks = HomeLocks.of(homes)) {
      transaction.recover(homes).forEach(progress);
      List<Plan> plans = planner.plan();
      List<Plan> some = plans.stream().filter(p -> !p.isEmpty()).toList();
      if (!some.isEmpty()) {
        requirePossible(some);
        transaction.run(what, some);
      }
      return plans;
    }
  }

  /**
   * Checks what can be checked before anything is touched.
   *
   * @throws IOException when this user may not write there, or there is too little space
   */
  public static void requirePossible(List<Plan> plans) throws IOException {
    List<Change> changes = plans.stream().flatMap(p -> p.changes().stream()).toList();
    Set<Path> dirs = new LinkedHashSet<>();
    for (Plan plan : plans) {
      Path state = plan.home().state();
      dirs.add(state);
      if (Files.exists(state)) {
        Disk.requireOwn(state.getParent());
        Disk.requireOwn(state);
      }
    }
    changes.forEach(c -> dirs.add(c.target().getParent()));
    for (Path dir : dirs) {
      Disk.requireWritable(dir);
    }
    Map<FileStore, Long> needed = new HashMap<>();
    Map<FileStore, Path> examples = new HashMap<>();
    for (Change c : changes) {
      Path dir = c.target().getParent();
      if (c instanceof Change.Write w && w.like() != null) {
        Disk.requireKeptOwner(w.like());
      }
      if (!Files.exists(dir)) {
        continue; // the directory of what is noted, which is small
      }
      FileStore store = Files.getFileStore(dir);
      examples.putIfAbsent(store, dir);
      needed.merge(store, size(c), Long::sum);
    }
    for (Map.Entry<FileStore, Long> n : needed.entrySet()) {
      long room = n.getKey().getUsableSpace();
      if (room < n.getValue() + SPARE_BYTES) {
        throw new IOException(
            "there is too little space at "
                + examples.get(n.getKey())
                + ": "
                + (n.getValue() + SPARE_BYTES >> 20)
                + " MiB are needed and "
                + (room >> 20)
                + " MiB are free");
      }
    }
  }

  private static long size(Change c) throws IOException {
    if (c instanceof Change.Delete) {
      return 0;
    }
    long old = Files.exists(c.target()) ? Files.size(c.target()) : 0; // it stays until all is done
    return old
        + (c instanceof Change.Write w
            ? w.content().length
            : Files.size(((Change.Copy) c).source()));
  }
}
