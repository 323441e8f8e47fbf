package org.salus.sim.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.effect.SessionError;

/**
 * P1: a GET returns the last PUT to the block before it, or one issued while it was under way. A
 * write to part of a block keeps the rest as it was.
 */
public final class Freshness implements Checker {

  private record Write(long request, byte[] hash) {}

  private final Prefix prefix;
  private final Map<Long, Map<Long, List<Write>>> writes = new TreeMap<>();
  private final Map<Long, TreeMap<Long, byte[]>> mountedState = new TreeMap<>();

  /**
   * @param prefix knows the state with which a mount begins
   */
  public Freshness(Prefix prefix) {
    this.prefix = prefix;
  }

  @Override
  public void mounted(long mount, long seq) {
    mountedState.put(mount, prefix.stateAt(seq));
  }

  @Override
  public void writeIssued(long mount, long request, List<Content> contents) {
    Map<Long, List<Write>> of = writes.computeIfAbsent(mount, k -> new TreeMap<>());
    contents.forEach(
        c ->
            of.computeIfAbsent(c.block(), k -> new ArrayList<>())
                .add(new Write(request, c.hash())));
  }

  /** A session sends nothing of a write that it fails; when it ends, it reads nothing more. */
  @Override
  public void requestFailed(long mount, long request, SessionError why, boolean inDoubt) {
    writes
        .getOrDefault(mount, Map.of())
        .values()
        .forEach(of -> of.removeIf(w -> w.request == request));
  }

  @Override
  public void readDone(long mount, long request, List<Content> contents) {
    check(mount, request, contents);
  }

  /** Otherwise the write would bring back what another one has replaced. */
  @Override
  public void readToChange(long mount, long request, List<Content> contents) {
    check(mount, request, contents);
  }

  private void check(long mount, long request, List<Content> contents) {
    for (Content c : contents) {
      List<Write> of = writes.getOrDefault(mount, Map.of()).getOrDefault(c.block(), List.of());
      byte[] before = mountedState.getOrDefault(mount, new TreeMap<>()).get(c.block());
      boolean fresh = false;
      for (Write w : of) {
        if (w.request < request) {
          before = w.hash;
        } else {
          fresh |= Arrays.equals(w.hash, c.hash());
        }
      }
      if (!fresh && !Arrays.equals(before, c.hash())) {
        throw new Violation(
            "P1 freshness",
            "read "
                + request
                + " of mount "
                + mount
                + " returned an old or foreign block "
                + c.block());
      }
    }
  }
}
