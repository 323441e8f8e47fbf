package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayList;
import java.util.List;

/**
 * The acknowledged changes of a volume that mounts have found lost, and of which nobody has said
 * yet that he knows. Immutable.
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
   * @param prefix the seq up to which the volume is there
   * @param acked the seq up to which changes were acknowledged
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Loss(long at, String holder, long mountEpoch, long prefix, long acked) {
    /** How many acknowledged changes are lost. */
    public long changes() {
      return acked - prefix;
    }
  }

  /**
   * The record with one more finding. A mount that goes back as far as another one has found the
   * same loss: the handle that had the volume knows best how much was acknowledged. It is another
   * loss if a mount has begun to serve since, and less was acknowledged after that.
   *
   * @param confirmed the newest mount that has found the volume whole; 0 if none is known
   */
  LossRecord with(Loss found, long confirmed) {
    List<Loss> all = new ArrayList<>(losses);
    for (int i = 0; i < all.size(); i++) {
      Loss known = all.get(i);
      boolean isSame =
          confirmed < known.mountEpoch()
              || found.mountEpoch() == known.mountEpoch()
              || found.acked() >= known.acked();
      if (known.prefix() == found.prefix() && isSame) {
        long acked = Math.max(known.acked(), found.acked());
        all.set(i, new Loss(known.at(), known.holder(), known.mountEpoch(), known.prefix(), acked));
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
