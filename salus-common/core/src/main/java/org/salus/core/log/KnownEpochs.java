package org.salus.core.log;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.salus.core.RegionId;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The RRS of each region as the NameNode knows it (paper §4.2.2, §4.2.3). The NameNode hears of a
 * new epoch some time after it has begun. Two rules keep a late NameNode from harm:
 *
 * <ul>
 *   <li>What it knows of a region only goes forward.
 *   <li>A member of a new epoch reads the log only after the NameNode has said that it knows the
 *       epoch ({@link LogRules#mayScan}).
 * </ul>
 *
 * So every change that it allows to an epoch comes before any member of the next one reads what is
 * there. Not thread-safe.
 */
public final class KnownEpochs {

  /** A region's epoch and its members in chain order. */
  public record Rrs(int epoch, List<String> members) {
    /** Copies the list. */
    public Rrs {
      members = List.copyOf(members);
    }
  }

  private final Map<RegionId, Rrs> newest = new TreeMap<>();

  /** Takes what the cluster's records say; it may be older than what is known. */
  public void learn(RegionId region, Rrs told) {
    newest.merge(region, told, (known, now) -> now.epoch() > known.epoch() ? now : known);
  }

  /** Forgets the regions of a volume that is gone. */
  public void forget(long volume) {
    newest.keySet().removeIf(region -> region.volume() == volume);
  }

  /** The newest known RRS of a region, or empty when none is known. */
  public Optional<Rrs> current(RegionId region) {
    return Optional.ofNullable(newest.get(region));
  }

  /** The newest known epoch of a region, or 0 when none is known. */
  public int epoch(RegionId region) {
    return current(region).map(Rrs::epoch).orElse(0);
  }

  /** Encodes a member's question whether its epoch is known. */
  public static byte[] question(int epoch) {
    return new Encoder(4).i32(epoch).toBytes();
  }

  /** The epoch of a {@link #question}. */
  public static int epoch(byte[] question) throws MalformedException {
    Decoder d = new Decoder(question);
    int epoch = d.i32();
    d.end();
    return epoch;
  }
}
