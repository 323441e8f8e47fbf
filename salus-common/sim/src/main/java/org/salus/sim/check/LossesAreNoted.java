package org.salus.sim.check;

import java.util.HashMap;
import java.util.Map;
import org.salus.core.effect.SessionError;

/**
 * P11: what a mount has found lost is noted before the regions forget it, and before the user who
 * relied on it is told by the end of the handle. So {@code volume info} tells of it.
 */
public final class LossesAreNoted implements Checker {
  private record Loss(long prefix, long acked) {}

  /** By mount. */
  private final Map<Long, Loss> unnoted = new HashMap<>();

  @Override
  public void wentBack(long mount, long prefix, long acked) {
    unnoted.put(mount, new Loss(prefix, acked));
  }

  @Override
  public void noted(long mount, long prefix, long acked) {
    unnoted.remove(mount, new Loss(prefix, acked));
  }

  @Override
  public void resolving(long mount, long prefix) {
    Loss loss = unnoted.get(mount);
    if (loss != null && prefix < loss.acked) { // others may have had it, who were asked later
      check(mount, "makes the regions forget");
    }
  }

  @Override
  public void sessionEnded(long mount, SessionError why) {
    if (why == SessionError.INTEGRITY) {
      check(mount, "ends for");
    }
  }

  private void check(long mount, String deed) {
    Loss loss = unnoted.get(mount);
    if (loss != null) {
      throw new Violation(
          "P11 losses are noted",
          "mount "
              + mount
              + " "
              + deed
              + " a loss that is not noted: from "
              + loss.acked
              + " to "
              + loss.prefix);
    }
  }
}
