package org.salus.sim.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * P11: what a mount has found lost is noted before the regions forget it, and before the user who
 * relied on it is told by the end of the handle. So is what a session has lost that had mounted the
 * volume. So {@code volume info} tells of it.
 *
 * <p>What a session says is true. It names everything that was acknowledged to its user, as does a
 * mount of a handle that had the volume before. If power does not fail again, the next mount goes
 * back, and not further than the session says.
 */
public final class LossesAreNoted implements Checker {
  private record Loss(long prefix, long acked) {}

  /** By mount. */
  private final Map<Long, Loss> unnoted = new HashMap<>();

  /** The mounts that have served. */
  private final Set<Long> served = new HashSet<>();

  /** The mounts that have noted a loss, and have not begun to serve since. */
  private final Set<Long> spoke = new HashSet<>();

  /** What the newest session that has mounted the volume says that it has lost; null if nothing. */
  private Loss said;

  /** The newest mount that has served. */
  private long newest;

  private final Prefix prefix;
  private boolean beyond;

  /**
   * @param prefix knows what was acknowledged
   */
  public LossesAreNoted(Prefix prefix) {
    this.prefix = prefix;
  }

  @Override
  public void wentBack(long mount, long begin, long acked) {
    Loss loss = new Loss(begin, acked);
    unnoted.put(mount, loss);
    if (!served.contains(mount) || beyond) {
      return;
    }
    if (begin >= acked || acked < prefix.told(mount)) {
      fail(mount, "says wrongly what is lost, of " + prefix.told(mount) + of(loss));
    }
    said = mount == newest ? loss : said;
  }

  @Override
  public void wentBackForUser(long mount, long acked, long told) {
    if (acked < told && !beyond) {
      fail(mount, "says that " + acked + " was acknowledged to a user who was told " + told);
    }
  }

  @Override
  public void powerCut() {
    said = null;
  }

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void noted(long mount, long prefix, long acked) {
    if (unnoted.remove(mount, new Loss(prefix, acked))) {
      spoke.add(mount);
    }
  }

  @Override
  public void mounted(long mount, long begin) {
    if (mount > newest) {
      if (said != null && !beyond && (begin < said.prefix || begin >= said.acked)) {
        fail(
            newest,
            "says wrongly what is lost, as mount " + mount + " shows at " + begin + of(said));
      }
      said = null;
      newest = mount;
    }
    served.add(mount);
    spoke.remove(mount);
  }

  @Override
  public void resolving(long mount, long begin) {
    Loss loss = unnoted.get(mount);
    if (loss != null && begin < loss.acked) { // others may have had it, who were asked later
      fail(mount, "makes the regions forget a loss that is not noted" + of(loss));
    }
  }

  @Override
  public void endedForLoss(long mount) {
    Loss loss = unnoted.get(mount);
    if (loss != null || !spoke.contains(mount)) {
      fail(
          mount,
          "ends for a loss "
              + (loss == null ? "of which it says nothing" : "that is not noted" + of(loss)));
    }
  }

  private static String of(Loss loss) {
    return ": from " + loss.acked + " to " + loss.prefix;
  }

  private static void fail(long mount, String deed) {
    throw new Violation("P11 losses are noted", "mount " + mount + " " + deed);
  }
}
