package org.salus.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * P1 over mounts: a read that is done after a newer mount's write to the block was acknowledged, or
 * returned by a read, must see it. An older mount never can, so it must not answer then.
 */
public final class FreshAcrossMounts implements Checker {

  /** What the newest mount whose write to a block was seen has written to it. */
  private record Seen(long mount, List<byte[]> written) {}

  private final Map<Long, Map<Long, List<byte[]>>> issued = new HashMap<>();
  private final Map<Long, Seen> seen = new HashMap<>();
  private boolean beyond;

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  /** What was seen may be gone. */
  @Override
  public void powerCut() {
    seen.clear();
  }

  @Override
  public void writeIssued(long mount, long request, List<Content> contents) {
    Map<Long, List<byte[]>> of = issued.computeIfAbsent(mount, k -> new HashMap<>());
    contents.forEach(c -> of.computeIfAbsent(c.block(), k -> new ArrayList<>()).add(c.hash()));
  }

  private List<byte[]> issued(long mount, long block) {
    return issued.getOrDefault(mount, Map.of()).getOrDefault(block, List.of());
  }

  private static boolean isOneOf(List<byte[]> hashes, byte[] hash) {
    return hashes.stream().anyMatch(h -> Arrays.equals(h, hash));
  }

  private void see(long mount, long block) {
    Seen before = seen.get(block);
    if (before == null || before.mount < mount) {
      seen.put(block, new Seen(mount, issued(mount, block)));
    }
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    contents.forEach(c -> see(mount, c.block()));
  }

  @Override
  public void readDone(long mount, long request, List<Content> contents) {
    for (Content c : contents) {
      Seen newer = seen.get(c.block());
      if (newer != null && newer.mount > mount && !isOneOf(newer.written, c.hash()) && !beyond) {
        throw new Violation(
            "P1 freshness",
            "read "
                + request
                + " of mount "
                + mount
                + " returned block "
                + c.block()
                + " as it was before mount "
                + newer.mount
                + " wrote it");
      }
      issued.keySet().stream()
          .filter(by -> c.hash() != null && isOneOf(issued(by, c.block()), c.hash()))
          .max(Long::compare)
          .ifPresent(by -> see(by, c.block()));
    }
  }
}
