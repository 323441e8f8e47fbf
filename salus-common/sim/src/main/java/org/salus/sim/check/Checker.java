package org.salus.sim.check;

import java.util.List;
import org.salus.core.RegionId;
import org.salus.core.effect.SessionError;
import org.salus.core.log.FilePath;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission;
import org.salus.core.log.SubBatch;

/**
 * What a run tells its checkers; each overrides what it needs. Blocks are named by their hash,
 * zeros by null.
 */
public interface Checker {

  /** A block and what it is to hold. */
  record Content(long block, byte[] hash) {}

  /**
   * A file was changed at the NameNode, on that permission, while the region's RRS was of this
   * epoch and these members.
   */
  record FileChange(
      RegionId region,
      Permission.Deed deed,
      FilePath.Kind kind,
      long number,
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

  /** The session sent a sub-batch, perhaps not for the first time. */
  default void sent(int region, SubBatch batch, List<Content> contents) {}

  /** A lane's leader says that everything up to {@code seq} is committed. */
  default void committed(int lane, long mount, long seq) {}

  /** The replica of a node that acts in these lanes holds this certified record. */
  default void onDisk(String node, List<Integer> lanes, LogRecord record) {}

  /** The root of a node's tree of a region as of everything up to {@code seq}, and nothing more. */
  default void rootTold(String node, int region, long seq, byte[] root) {}

  /** What the replicas hold is read anew, after a crash or a recovery. */
  default void disksReset() {}

  /** Power failed: what was not synced may be gone. */
  default void powerCut() {}

  default void mounted(long mount, long prefix) {}

  default void fileChanged(FileChange c) {}

  default void requestFailed(long mount, long request, SessionError why) {}

  default void sessionEnded(long mount, SessionError why) {}

  /** Sessions of mounts before this one are fenced: it was asked for, or their lease is over. */
  default void fenced(long mount) {}

  /** From now on, and until the faults stop, a session may end so. */
  default void excused(SessionError why) {}

  /** Every fault is over: three servers are left for each region, the network is fair. */
  default void faultsStopped() {}

  /** Requests are not done though the time for that is over. */
  default void stuck(String what) {}

  /** A wrong member acts in this lane: what its leaders say proves nothing. */
  default void spoiled(int lane) {}

  /** More has gone wrong than the promise covers: only refusing is asked from now on. */
  default void beyondPromise() {}
}
