package org.salus.sim.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord.Loss;

/**
 * P12: the record in ZooKeeper tells of every loss that was noted, until somebody who has seen it
 * accepts it.
 *
 * <ul>
 *   <li>No loss goes in the finding of another one. It may go in that of the next mount, or of one
 *       before that gave up.
 *   <li>What was accepted does not come back.
 *   <li>What is found is noted, unless the finder's process ends before.
 *   <li>The record of the last mount that found the volume whole is of the last one.
 * </ul>
 */
public final class LossesAreTold implements Checker {
  /** Every finding that ZooKeeper has taken. */
  private final Set<Loss> known = new LinkedHashSet<>();

  /** What is listed. */
  private List<Loss> listed = List.of();

  /** What somebody has seen and accepted. */
  private final List<Loss> seen = new ArrayList<>();

  /** Of the findings known, those of which that tells. */
  private final Set<Loss> accepted = new HashSet<>();

  /**
   * The newest mount of a user before a mount that ZooKeeper knew to have served when it took that
   * mount's note. A note may come long after its finding: who has served since does not count.
   */
  private final Map<Long, Long> servedBefore = new HashMap<>();

  /** The mounts of users that ZooKeeper knows to have found the volume whole. */
  private final NavigableSet<Long> wholeByUsers = new TreeSet<>();

  private final Set<Long> served = new HashSet<>();

  /**
   * The mounts whose sessions say that they have lost what they acknowledged, until it is noted.
   */
  private final Set<Long> unnoted = new HashSet<>();

  /** What mounts have found, by their numbers, until it is noted. */
  private final Map<Long, Long> unnotedFindings = new HashMap<>();

  /** The mounts that have found the volume whole, and whose processes live. */
  private final Set<Long> whole = new HashSet<>();

  private long newest;
  private boolean beyond;

  @Override
  public void beyondPromise() {
    beyond = true;
  }

  @Override
  public void mounted(long mount, long prefix) {
    served.add(mount);
    whole.add(mount);
    if (unnotedFindings.getOrDefault(mount, 0L) <= prefix) {
      unnotedFindings.remove(mount); // it has found otherwise since
    }
  }

  @Override
  public void wentBack(long mount, long prefix, long acked) {
    if (served.contains(mount)) {
      unnoted.add(mount);
    } else {
      unnotedFindings.put(mount, acked);
    }
  }

  @Override
  public void gone(long mount) {
    unnoted.remove(mount);
    unnotedFindings.remove(mount);
    whole.remove(mount);
  }

  @Override
  public void confirmedWhole(ConfirmedRecord mount, ConfirmedRecord now) {
    newest = Math.max(newest, mount.mountEpoch());
    wholeByUsers.add(mount.byUser());
    if (!beyond && (now.mountEpoch() != newest || !now.byUser().equals(wholeByUsers.last()))) {
      fail("mount " + newest + " has found the volume whole, and not " + now);
    }
  }

  @Override
  public void lossNoted(Loss found, List<Loss> now) {
    known.add(found);
    listed = now;
    if (found.served()) {
      unnoted.remove(found.mountEpoch());
    } else {
      unnotedFindings.remove(found.mountEpoch());
      servedBefore.putIfAbsent(
          found.mountEpoch(),
          Objects.requireNonNullElse(wholeByUsers.lower(found.mountEpoch()), 0L));
    }
    if (beyond) {
      return;
    }
    checkListed();
  }

  private void checkListed() {
    for (Loss k : known) {
      if (listed.stream().noneMatch(l -> tells(l, k))
          && seen.stream().noneMatch(l -> tells(l, k))) {
        fail("nothing tells of " + k + " in " + listed);
      }
    }
    for (Loss l : listed) {
      if (known.stream().noneMatch(k -> tells(l, k) && !accepted.contains(k))) {
        fail("what was accepted comes back: " + l);
      }
    }
  }

  @Override
  public void lossesAccepted(List<Loss> bySomebody, List<Loss> now) {
    seen.addAll(bySomebody);
    known.stream()
        .filter(k -> bySomebody.stream().anyMatch(l -> tells(l, k) && isOne(l, k)))
        .forEach(accepted::add);
    listed = now;
    if (!beyond) {
      checkListed();
    }
  }

  @Override
  public void over() {
    if (beyond) {
      return;
    }
    if (!unnoted.isEmpty()) {
      fail("mounts " + unnoted + " have lost changes, and go on without a note");
    }
    if (!unnotedFindings.isEmpty()) {
      fail("what mounts " + unnotedFindings.keySet() + " have found lost is not noted");
    }
    whole.stream()
        .filter(mount -> mount > newest)
        .findFirst()
        .ifPresent(mount -> fail("it is not noted that mount " + mount + " has served"));
  }

  /** Whether who reads {@code l} knows of {@code k}. */
  private boolean tells(Loss l, Loss k) {
    boolean isExact = k.served() && !l.served();
    return l.acked() >= k.acked() && (isExact || l.prefix() <= k.prefix()) && isSame(l, k);
  }

  private boolean isSame(Loss l, Loss k) {
    if (l.mountEpoch() == k.mountEpoch()) {
      return l.served() == k.served();
    }
    Loss first = l.mountEpoch() < k.mountEpoch() ? l : k;
    Loss later = l.mountEpoch() < k.mountEpoch() ? k : l;
    long before = servedBefore.getOrDefault(later.mountEpoch(), Long.MAX_VALUE);
    return !later.served()
        && (first.served()
            ? before <= first.mountEpoch() && later.prefix() < first.acked()
            : before < first.mountEpoch() && later.prefix() == first.prefix());
  }

  /**
   * Whether no mount has served between the two. One may have, of which ZooKeeper did not know when
   * it took the later note. Then both may be listed, and whoever accepts one has not seen the
   * other.
   */
  private boolean isOne(Loss l, Loss k) {
    long first = Math.min(l.mountEpoch(), k.mountEpoch());
    long later = Math.max(l.mountEpoch(), k.mountEpoch());
    return served.stream().noneMatch(mount -> first < mount && mount < later);
  }

  private static void fail(String what) {
    throw new Violation("P12 losses are told", what);
  }
}
