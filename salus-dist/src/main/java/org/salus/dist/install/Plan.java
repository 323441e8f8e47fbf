package org.salus.dist.install;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a run does in one place. Immutable.
 *
 * @param home the place
 * @param before the file of settings, one character a byte
 * @param after the same file afterwards
 * @param changes all changes of files
 * @param replaces whether jars of another Salus go, with which these do not work together
 * @param notes what the operator is to know, a sentence each
 */
public record Plan(
    Home home,
    String before,
    String after,
    List<Change> changes,
    boolean replaces,
    List<String> notes) {
  private static final String JAR = ".jar";

  /** Copies the lists. */
  public Plan {
    changes = List.copyOf(changes);
    notes = List.copyOf(notes);
  }

  /** The same plan with more to know. */
  Plan with(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new Plan(home, before, after, changes, replaces, all);
  }

  /** Whether nothing is to be done. */
  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /** The settings that daemons read afterwards. */
  public Map<String, String> settings() throws IOException {
    return home.settings(SiteText.bytes(after));
  }

  /**
   * How the file of settings changes, in the form of {@code diff -u}. Values of others are hidden.
   */
  public List<String> diff() throws IOException {
    return before.equals(after) ? List.of() : Mask.diff(home.site(), before, after);
  }

  /** What happens to other files, as a verb and a path each. */
  public List<String> others() {
    return changes.stream()
        .filter(c -> !c.target().equals(home.site()))
        .map(c -> verb(c) + " " + c.target())
        .toList();
  }

  private static String verb(Change c) {
    return c instanceof Change.Delete ? "delete" : c instanceof Change.Copy ? "copy" : "write";
  }

  /** Names of the jars that come. */
  public List<String> copied() {
    return jars(Change.Copy.class);
  }

  /** Names of the jars that go. */
  public List<String> removed() {
    return jars(Change.Delete.class);
  }

  private List<String> jars(Class<? extends Change> kind) {
    return changes.stream()
        .filter(kind::isInstance)
        .map(c -> c.target().getFileName().toString())
        .filter(name -> name.endsWith(JAR))
        .toList();
  }
}
