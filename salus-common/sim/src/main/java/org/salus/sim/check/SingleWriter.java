package org.salus.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.SubBatch;

/**
 * P6: after a mount, no PUT of an older mount becomes committed. An older mount may learn late that
 * a PUT had committed before; that PUT is within the newer mount's prefix.
 */
public final class SingleWriter implements Checker {

  private record Issued(long seq, Content content) {}

  private final Map<Long, List<Issued>> puts = new TreeMap<>();
  private long newest;
  private long prefix;
  private boolean beyond;

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void mounted(long mount, long seq) {
    if (mount < newest) {
      return; // late answers: the session is fenced already
    }
    newest = mount;
    prefix = seq;
  }

  @Override
  public void sent(int region, SubBatch batch, List<Content> contents) {
    List<Issued> of = puts.computeIfAbsent(batch.mountEpoch(), k -> new ArrayList<>());
    contents.forEach(c -> of.add(new Issued(batch.first(), c)));
  }

  @Override
  public void writeDone(long mount, long request, List<Content> contents, boolean sync) {
    if (mount == newest || beyond) {
      return;
    }
    for (Issued i : puts.getOrDefault(mount, List.of())) {
      boolean mine =
          i.content.hash() != null
              && contents.stream()
                  .anyMatch(
                      c ->
                          c.block() == i.content.block()
                              && Arrays.equals(c.hash(), i.content.hash()));
      if (mine && i.seq > prefix) {
        throw new Violation(
            "P6 single-writer",
            "write "
                + request
                + " of mount "
                + mount
                + " is acknowledged beyond "
                + prefix
                + ", where mount "
                + newest
                + " began");
      }
    }
  }
}
