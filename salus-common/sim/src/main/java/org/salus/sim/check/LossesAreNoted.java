package org.salus.sim.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * P11: what a mount has found lost is noted before the regions forget it, and before the user who
 * relied on it is told by the end of the handle. So is what a session has lost that had mounted the
 * volume. So {@code volume info} tells of it.
 */
public final class LossesAreNoted implements Checker {
  private record Loss(long prefix, long acked) {}

  /** By mount. */
  private final Map<Long, Loss> unnoted = new HashMap<>();

  /** The mounts that serve, and whose sessions have noted no loss since. */
  private final Set<Long> silent = new HashSet<>();

  @Override
  public void wentBack(long mount, long prefix, long acked) {
    unnoted.put(mount, new Loss(prefix, acked));
  }

  @Override
  public void noted(long mount, long prefix, long acked) {
    if (unnoted.remove(mount, new Loss(prefix, acked))) {
      silent.remove(mount);
    }
  }

  @Override
  public void mounted(long mount, long prefix) {
    silent.add(mount);
  }

  @Override
  public void resolving(long mount, long prefix) {
    Loss loss = unnoted.get(mount);
    if (loss != null && prefix < loss.acked) { // others may have had it, who were asked later
      fail(mount, "makes the regions forget a loss" + of(loss));
    }
  }

  @Override
  public void endedForLoss(long mount) {
    Loss loss = unnoted.get(mount);
    if (loss != null || silent.contains(mount)) {
      fail(mount, "ends for a loss" + of(loss));
    }
  }

  private static String of(Loss loss) {
    return loss == null
        ? " of which it says nothing"
        : " that is not noted: from " + loss.acked + " to " + loss.prefix;
  }

  private static void fail(long mount, String deed) {
    throw new Violation("P11 losses are noted", "mount " + mount + " " + deed);
  }
}
