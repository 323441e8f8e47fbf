package org.salus.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * P8: with more faults than promised, an error, never wrong data. A read returns zeros or something
 * that was once written to that block. It returns nothing older than what the same mount has
 * written there and had acknowledged.
 */
public final class NoWrongData implements Checker {

  private record Write(long mount, long request, byte[] hash) {}

  private final Map<Long, List<Write>> writes = new HashMap<>();

  /** The acknowledged requests by mount and block. */
  private final Map<String, TreeSet<Long>> acknowledged = new HashMap<>();

  private boolean beyond;

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void writeIssued(long mount, long request, List<Content> contents) {
    contents.forEach(
        c ->
            writes
                .computeIfAbsent(c.block(), k -> new ArrayList<>())
                .add(new Write(mount, request, c.hash())));
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    contents.forEach(
        c ->
            acknowledged
                .computeIfAbsent(mount + "/" + c.block(), k -> new TreeSet<>())
                .add(request));
  }

  @Override
  public void readDone(long mount, long request, List<Content> contents) {
    for (Content c : contents) {
      Long known =
          acknowledged.getOrDefault(mount + "/" + c.block(), new TreeSet<>()).lower(request);
      boolean right = known == null && c.hash() == null;
      for (Write w : writes.getOrDefault(c.block(), List.of())) {
        right |=
            Arrays.equals(w.hash, c.hash())
                && (known == null || w.mount == mount && w.request >= known);
      }
      if (beyond && !right) {
        throw new Violation(
            "P8 refusal",
            "read "
                + request
                + " of mount "
                + mount
                + " returned a wrong block "
                + c.block()
                + " instead of an error");
      }
    }
  }
}
