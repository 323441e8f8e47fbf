package org.salus.core.recovery;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.log.LogRules;

/**
 * How far a DataNode's replicas of log segments may be cut, and when they may get a new stamp
 * (paper §4.4, phase 2). M0 tells the DataNodes of all members how far to cut and which stamp to
 * take, and M0 may be wrong. A replica's floor is the length up to which the member on the
 * DataNode's own machine has found it valid. Nobody else may go below. From then on the replica may
 * get new stamps, until the member has found it equal to the others under one of them. It keeps
 * that stamp.
 *
 * <p>A DataNode forgets the floors when it restarts. Until its member names one again, it cuts no
 * replica at all and takes no stamp. Not thread-safe.
 */
public final class Floors {
  /**
   * @param keepsStamp whether the member has found the replica equal to the others
   */
  private record Floor(int epoch, long length, boolean keepsStamp) {
    Floor or(Floor other) {
      if (other.epoch != epoch) {
        return other.epoch > epoch ? other : this;
      }
      return new Floor(epoch, Math.max(length, other.length), keepsStamp || other.keepsStamp);
    }
  }

  /**
   * The most replicas with a floor: a wrong server on this machine can name ever more. A right one
   * names the few segments of a region that are open when an epoch begins. A further replica gets
   * no floor, and so is neither cut nor recovered. To forget another one's floor would be worse: an
   * old word could then lower it.
   */
  static final int MOST_FLOORS = 100_000;

  /**
   * The most replicas that are fenced: a wrong server can name ever more. A region that is rebuilt
   * has a few open segments.
   */
  static final int MOST_FENCED = 100_000;

  private final LogRules rules;
  private final Map<String, Floor> floors = new TreeMap<>();

  /** The replicas to which nobody appends, because an epoch without a holder reads them. */
  private final Set<String> fenced = new TreeSet<>();

  /**
   * @param rules the rules that say what may be cut, and which stamps are taken
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
   * <p>It may be a replica that the DataNode does not have yet. Returns false, and takes no notice,
   * if there are too many.
   *
   * @param length in bytes
   */
  public boolean found(String replica, int epoch, long length) {
    return take(replica, new Floor(epoch, length, false));
  }

  private boolean take(String replica, Floor floor) {
    boolean hasRoom = floors.containsKey(replica) || floors.size() < MOST_FLOORS;
    if (hasRoom) {
      floors.merge(replica, floor, Floor::or);
    }
    return hasRoom;
  }

  /**
   * The DataNode's own member has found a replica equal to the others, under a stamp. For the rest
   * of the epoch the replica keeps it. Returns false, and takes no notice, if the replica has got
   * another stamp since the member looked, or if there are too many floors.
   *
   * @param length in bytes
   * @param stamp that the member has seen
   * @param has the stamp that the replica has
   */
  public boolean keepStamp(String replica, int epoch, long length, long stamp, long has) {
    return stamp == has && take(replica, new Floor(epoch, length, true));
  }

  /**
   * An epoch without a holder begins to read the replica (paper §4.2.2). From then on nobody
   * appends to it, so that its old members can acknowledge nothing more. It may be a replica that
   * the DataNode does not have yet. Returns false, and takes no notice, if there are too many.
   */
  public boolean fence(String replica) {
    return fenced.contains(replica) || fenced.size() < MOST_FENCED && fenced.add(replica);
  }

  /** Whether a member may begin to write this replica, or go on. */
  public boolean mayAppend(String replica) {
    return rules.mayAppend(fenced.contains(replica));
  }

  /** Whether the own member has said how far this replica is valid. */
  public boolean knows(String replica) {
    return floors.containsKey(replica);
  }

  /** The replica is gone. Whoever has written it may still try to, so it stays fenced. */
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

  /** Whether a replica may get a new stamp. */
  public boolean mayRaise(String replica) {
    Floor floor = floors.get(replica);
    return rules.mayRaise(floor != null && !floor.keepsStamp);
  }
}
