package org.salus.core.recovery;

import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.LogRules;

/**
 * How far a DataNode's replicas of log segments may be cut (paper §4.4, phase 2). M0 tells the
 * DataNodes of all members how far to cut, and M0 may be wrong. A replica's floor is the length up
 * to which the member on the DataNode's own machine has found it valid. Nobody else may go below.
 *
 * <p>A DataNode forgets the floors when it restarts. Until its member names one again, it cuts no
 * replica at all. Not thread-safe.
 */
public final class Floors {
  private record Floor(int epoch, long length) {
    Floor or(Floor other) {
      boolean isNewer = other.epoch > epoch || other.epoch == epoch && other.length > length;
      return isNewer ? other : this;
    }
  }

  private final LogRules rules;
  private final Map<String, Floor> floors = new TreeMap<>();

  /**
   * @param rules the rules that say what may be cut
   */
  public Floors(LogRules rules) {
    this.rules = rules;
  }

  /**
   * The DataNode's own member has found a replica valid up to a length. In a newer epoch this
   * counts alone, because the member has read the replica again. In the same epoch a floor only
   * rises, and an older epoch's word counts for nothing. So late and repeated words do no harm
   * while the DataNode runs.
   *
   * @param length in bytes
   */
  public void found(String replica, int epoch, long length) {
    floors.merge(replica, new Floor(epoch, length), Floor::or);
  }

  /** Whether the own member has said how far this replica is valid. */
  public boolean knows(String replica) {
    return floors.containsKey(replica);
  }

  /** The replica is gone. */
  public void forget(String replica) {
    floors.remove(replica);
  }

  /**
   * Whether a replica may be cut.
   *
   * @param length that it has, in bytes
   * @param to the length that it is to have
   */
  public boolean mayCut(String replica, long length, long to) {
    Floor floor = floors.get(replica);
    return rules.mayCut(floor == null ? OwnReplica.ABSENT : floor.length, length, to);
  }
}
