package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayList;
import java.util.List;

/**
 * The acknowledged changes of a volume that mounts and sessions have found lost, and of which
 * nobody has said yet that he knows. Immutable.
 *
 * @param volume the volume's id
 * @param losses oldest first
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record LossRecord(long volume, List<Loss> losses) {
  /** The most losses that are noted. The newest replaces the one before it then. */
  static final int MOST = 16;

  /** Copies the losses. */
  public LossRecord {
    losses = List.copyOf(losses);
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
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Loss(
      long at, String holder, long mountEpoch, long prefix, long acked, boolean served) {
    /** How many acknowledged changes are lost, at most. */
    public long changes() {
      return acked - prefix;
    }

    /** The same finding, when more is known to have been acknowledged. */
    private Loss upTo(long more) {
      return new Loss(at, holder, mountEpoch, prefix, Math.max(acked, more), served);
    }

    private boolean overlaps(Loss other) {
      return prefix < other.acked && other.prefix < acked;
    }

    /**
     * Whether another finding is of the same loss.
     *
     * @param confirmed the newest mount that has found the volume whole; 0 if none is known
     */
    private boolean isSame(Loss found, long confirmed) {
      if (served && found.served) {
        return found.mountEpoch == mountEpoch;
      }
      if (served || found.served) {
        Loss session = served ? this : found;
        Loss mount = served ? found : this;
        boolean isNext = found.served || confirmed <= mountEpoch;
        return mount.mountEpoch > session.mountEpoch && isNext && overlaps(found);
      }
      return prefix == found.prefix
          && (confirmed < mountEpoch || found.mountEpoch == mountEpoch || found.acked >= acked);
    }
  }

  /**
   * The record with one more finding. The same loss may be found more than once:
   *
   * <ul>
   *   <li>A mount goes back as far as another one. The handle that had the volume knows best how
   *       much was acknowledged. It is another loss if a mount has begun to serve since, and less
   *       was acknowledged after that.
   *   <li>A session has lost what it acknowledged, and the next mount finds how far the volume goes
   *       back. The mount's word may come first. It is another loss if a mount has begun to serve
   *       in between.
   * </ul>
   *
   * @param confirmed the newest mount that has found the volume whole; 0 if none is known
   */
  LossRecord with(Loss found, long confirmed) {
    List<Loss> all = new ArrayList<>(losses);
    for (int i = 0; i < all.size(); i++) {
      Loss known = all.get(i);
      if (known.isSame(found, confirmed)) {
        boolean isExact = known.served() && !found.served();
        all.set(i, isExact ? found.upTo(known.acked()) : known.upTo(found.acked()));
        return new LossRecord(volume, all);
      }
    }
    if (all.size() == MOST) {
      all.remove(MOST - 1);
    }
    all.add(found);
    return new LossRecord(volume, all);
  }
}
