package org.salus.sim.check;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.effect.SessionError;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.log.SegmentEnd;
import org.salus.core.log.SubBatch;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord.Loss;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochRegister;

/**
 * The events that a run reports to its checkers. Each checker overrides those that it needs.
 * Contents of blocks are given by their hash; null stands for zeros.
 */
public interface Checker {

  /** A block and the hash of its content, or null for zeros. */
  record Content(long block, byte[] hash) {}

  /**
   * A file in the state {@code before} was changed at the NameNode, with that permission. The
   * region's RRS then had this epoch and these members.
   */
  record FileChange(
      RegionId region,
      Permission.Deed deed,
      FilePath.Kind kind,
      long number,
      Permission.FileState before,
      Permission permission,
      int epoch,
      List<String> members) {}

  /** The application issued a write; {@code request} numbers requests in the order of issue. */
  default void writeIssued(long mount, long request, List<Content> contents) {}

  /** A write is acknowledged. */
  default void writeDone(long mount, long request, List<Content> contents, boolean sync) {}

  default void flushIssued(long mount, long request) {}

  default void flushDone(long mount, long request) {}

  default void readIssued(long mount, long request, List<Long> blocks) {}

  default void readDone(long mount, long request, List<Content> contents) {}

  /**
   * A write to part of a block was given the block, to change it. The user does not see it, so that
   * writes before it need not be acknowledged.
   */
  default void readToChange(long mount, long request, List<Content> contents) {}

  /** The session sent a sub-batch, perhaps not for the first time. */
  default void sent(int region, SubBatch batch, List<Content> contents) {}

  /** A lane's leader says that everything up to {@code seq} is committed. */
  default void committed(int lane, long mount, long seq) {}

  /** The node's replica holds this certified record. The node acts in these lanes. */
  default void onDisk(String node, List<Integer> lanes, LogRecord record) {}

  /**
   * A node reports its root of a region's tree after every PUT up to {@code seq} and no later one.
   */
  default void rootTold(String node, int region, long seq, byte[] root) {}

  /**
   * A segment of an earlier epoch is finished, and a node is a holder of it from now on.
   *
   * @param own how far the node's own replica is valid, in bytes, or its length if that is wrong;
   *     -1 if it has none that HDFS keeps
   */
  default void holds(String node, int region, SegmentEnd segment, long own) {}

  /** The replicas are read again from the start, after a crash or a recovery. */
  default void disksReset() {}

  /** Power failed. What was not synced may be gone. */
  default void powerCut() {}

  /**
   * A mount or its session finds changes lost that were acknowledged: those after the prefix.
   *
   * @param acked up to which they were acknowledged, as it says
   */
  default void wentBack(long mount, long prefix, long acked) {}

  /**
   * A mount finds changes lost on which a user relies who had the volume before.
   *
   * @param acked up to which they were acknowledged, as it says
   * @param told up to which they were acknowledged to the user
   */
  default void wentBackForUser(long mount, long acked, long told) {}

  /** ZooKeeper has a note of what a mount or its session has found lost. */
  default void noted(long mount, long prefix, long acked) {}

  /**
   * ZooKeeper has taken the note of a loss, perhaps not for the first time.
   *
   * @param now what it lists then
   */
  default void lossNoted(Loss found, List<Loss> now) {}

  /**
   * An operator accepts what he has seen.
   *
   * @param now what is listed then
   */
  default void lossesAccepted(List<Loss> seen, List<Loss> now) {}

  /**
   * ZooKeeper has taken the note that a mount has found the volume whole.
   *
   * @param now what its record says then
   */
  default void confirmedWhole(ConfirmedRecord mount, ConfirmedRecord now) {}

  /** The process that had this mount has ended. */
  default void gone(long mount) {}

  /** A mount asks the regions to commit a prefix and to forget the rest. */
  default void resolving(long mount, long prefix) {}

  default void mounted(long mount, long prefix) {}

  /** The NameNode has heard a word about a region's epochs, which may change what it knows. */
  default void epochKnown(int region, EpochRegister before, EpochRegister after, byte[] word) {}

  default void fileChanged(FileChange c) {}

  /**
   * @param inDoubt whether it is a change that may have taken effect
   */
  default void requestFailed(long mount, long request, SessionError why, boolean inDoubt) {}

  default void sessionEnded(long mount, SessionError why) {}

  /** A session has ended since a power cut has taken what its user relies on. */
  default void endedForLoss(long mount) {}

  /**
   * @param user whose session it was
   */
  default void sessionEnded(String user, long mount, SessionError why) {
    sessionEnded(mount, why);
  }

  /**
   * A session has ended because a region's M0 has refused a change for want of room.
   *
   * @param user whose session it was
   */
  default void ranOut(String user, int region) {}

  /** An epoch of a region serves. */
  default void serves(int region, int epoch) {}

  /**
   * A user's handle has ended and says that it leaves nothing behind.
   *
   * @param known whether ZooKeeper has a claim of it, or a reader's record
   */
  default void handleDone(String user, boolean known) {}

  /**
   * A user's handle has ended because the volume was another's since its last mount.
   *
   * @param byUser whether another user has claimed it since
   */
  default void overtaken(String user, boolean byUser) {}

  /**
   * A user's handle mounts the volume again.
   *
   * @param afterAnother whether another user has claimed it since the handle's last mount
   */
  default void goesOn(String user, boolean afterAnother) {}

  /** A segment was created, or the DataNodes became full or are so no more. */
  default void roomChanged() {}

  /**
   * Sessions of mounts before this one are fenced: a newer mount was asked for, or their lease has
   * ended.
   */
  default void fenced(long mount) {}

  /** From now until the faults stop, a session may end for this reason. */
  default void excused(SessionError why) {}

  /**
   * Every fault is over. Three servers are left for each region, and the network delivers again.
   */
  default void faultsStopped() {}

  /** Requests are not done although their time is over. */
  default void stuck(String what) {}

  /** A wrong member acts in this lane, so what the lane's leaders say proves nothing. */
  default void spoiled(int lane) {}

  /** The run has ended, and nothing is under way that should still be done. */
  default void over() {}

  /** More has gone wrong than the promise covers. From now on only P8 is checked. */
  default void beyondPromise() {}
}
