package org.salus.dist.install;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What a run does in one place. Immutable.
 *
 * @param home the place
 * @param before the file of settings, one character a byte
 * @param after the same file afterwards
 * @param copied names of the jars that come
 * @param removed names of the jars that go
 * @param changes all changes of files
 * @param replaces whether jars of another Salus go, with which these do not work together
 * @param notes what the operator is to know, a sentence each
 */
public record Plan(
    Home home,
    String before,
    String after,
    List<String> copied,
    List<String> removed,
    List<Change> changes,
    boolean replaces,
    List<String> notes) {
  /** Copies the lists. */
  public Plan {
    copied = List.copyOf(copied);
    removed = List.copyOf(removed);
    changes = List.copyOf(changes);
    notes = List.copyOf(notes);
  }

  /** The same plan with more to know. */
  Plan with(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new Plan(home, before, after, copied, removed, changes, replaces, all);
  }

  /** Whether nothing is to be done. */
  public boolean isEmpty() {
    return changes.isEmpty();
  }

  /** How the file of settings changes, in the form of {@code diff -u}. Secrets are hidden. */
  public List<String> diff() {
    return UnifiedDiff.of(home.site().toString(), Mask.of(utf8(before)), Mask.of(utf8(after)));
  }

  private static String utf8(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }
}
