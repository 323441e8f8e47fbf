package org.salus.core.mount;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The acknowledged changes of a volume that mounts and sessions have found lost, and of which
 * nobody has said yet that he knows. Immutable.
 *
 * @param volume the volume's id
 * @param losses oldest first
 * @param accepted what somebody has accepted last, oldest first; null stands for nothing, as in
 *     older records
 */
public record LossRecord(long volume, List<Loss> losses, List<Loss> accepted) {
  /**
   * The most losses that are noted, and that are kept once they are accepted. If there are more to
   * note, the last one stands for several.
   */
  public static final int MOST = 16;

  /** Copies the losses. */
  public LossRecord {
    losses = List.copyOf(losses);
    accepted = accepted == null ? List.of() : List.copyOf(accepted);
  }

  /** The record of a volume that has lost nothing. */
  public static LossRecord nothing(long volume) {
    return new LossRecord(volume, List.of(), List.of());
  }

  /**
   * One loss: the volume is as it was after the change {@code prefix}.
   *
   * @param at the time at which it was found, in ms since 1970
   * @param holder the user, machine and process whose mount found it
   * @param mountEpoch the number of that mount
   * @param prefix the seq up to which the volume is there; up to which it is there for certain, if
   *     {@code served}
   * @param acked the seq up to which changes were acknowledged
   * @param served whether that mount served, and its session has lost what it acknowledged itself.
   *     The next mount finds how far the volume goes back
   * @param after the newest mount of a user that was known to have served when this was noted; 0 if
   *     none was. Before it is noted, what the finder knows
   * @param last the last mount whose finding of the same loss is in this one; 0 in older records,
   *     which stands for {@code mountEpoch}
   */
  public record Loss(
      long at,
      String holder,
      long mountEpoch,
      long prefix,
      long acked,
      boolean served,
      long after,
      long last) {
    /** No mount finds for an older one. */
    public Loss {
      last = Math.max(last, mountEpoch);
    }

    /** The finding of one mount. */
    public Loss(
        long at,
        String holder,
        long mountEpoch,
        long prefix,
        long acked,
        boolean served,
        long after) {
      this(at, holder, mountEpoch, prefix, acked, served, after, mountEpoch);
    }

    /** How many acknowledged changes are lost, at most. */
    public long changes() {
      return acked - prefix;
    }

    /** This finding, with what another one of the same loss knows besides. */
    private Loss with(Loss same) {
      return new Loss(
          at,
          holder,
          mountEpoch,
          prefix,
          Math.max(acked, same.acked),
          served,
          same.served && !served ? Math.max(after, same.mountEpoch) : after,
          Math.max(last, same.last));
    }

    /** One finding in place of this and a later one, which says no less than both. */
    private Loss and(Loss later) {
      return new Loss(
          later.at,
          later.holder,
          later.mountEpoch,
          Math.min(prefix, later.prefix),
          Math.max(acked, later.acked),
          later.served,
          later.after,
          later.last);
    }

    /** The newest mount that has served for all that this finding knows. */
    private long hasServed() {
      return served ? Math.max(after, mountEpoch) : after;
    }

    private Loss notedAfter(long mount) {
      return new Loss(at, holder, mountEpoch, prefix, acked, served, mount, last);
    }

    boolean overlaps(Loss other) {
      return prefix < other.acked && other.prefix < acked;
    }

    /** Whether whoever has read this one knows what another finding of the same loss says. */
    boolean tells(Loss other) {
      boolean isExact = other.served && !served;
      return acked >= other.acked && (isExact || prefix <= other.prefix);
    }
  }

  /**
   * The record with one more finding, which may be of a loss that is noted or was accepted.
   *
   * @param confirmed the newest mount of a user that has found the volume whole; 0 if none is known
   */
  public LossRecord with(Loss found, long confirmed, LossRules rules) {
    Loss noted = found.notedAfter(Math.max(found.after, served(found.mountEpoch, confirmed)));
    if (accepted.stream().anyMatch(a -> rules.isAccepted(a, noted))) {
      return this;
    }
    List<Loss> all = new ArrayList<>(losses);
    int same = find(l -> l.served && rules.isSame(l, noted));
    same = same < 0 ? find(l -> rules.isSame(l, noted)) : same;
    if (same >= 0) {
      Loss known = all.get(same);
      boolean isExact = known.served && !noted.served;
      all.set(same, isExact ? noted.with(known) : known.with(noted));
      return new LossRecord(volume, all, accepted);
    }
    if (all.size() == MOST) {
      all.add(all.remove(MOST - 1).and(noted));
    } else {
      all.add(noted);
    }
    return new LossRecord(volume, all, accepted);
  }

  /** The newest mount that has served: one whose session has lost its own changes has, too. */
  private long served(long before, long confirmed) {
    return Stream.concat(losses.stream(), accepted.stream())
        .filter(l -> l.mountEpoch < before)
        .mapToLong(Loss::hasServed)
        .reduce(confirmed, Math::max);
  }

  /** The place of the first loss of that kind, or -1. */
  private int find(Predicate<Loss> kind) {
    return losses.stream().filter(kind).findFirst().map(losses::indexOf).orElse(-1);
  }

  /**
   * The record once somebody has accepted what he has seen. What is noted since, or is worse by
   * now, stays.
   */
  public LossRecord accept(Collection<Loss> seen, LossRules rules) {
    Map<Boolean, List<Loss>> known =
        losses.stream().collect(Collectors.partitioningBy(l -> rules.isSeen(seen, l)));
    List<Loss> all = new ArrayList<>(accepted);
    all.addAll(known.get(true));
    return new LossRecord(
        volume, known.get(false), all.subList(Math.max(0, all.size() - MOST), all.size()));
  }
}
