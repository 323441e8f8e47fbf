package org.salus.sim.fault;

import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.salus.core.RegionId;
import org.salus.core.log.Permission.Deed;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.parts.MemberMaker;

/**
 * The levers of a simulated cluster, which faults pull. Nodes are named; {@link #CLIENT} stands for
 * the machines of all clients. Times are in nanoseconds.
 */
public interface Levers {
  /** The name of all clients' machines, where a method takes a node's name. */
  String CLIENT = "client";

  /** The interval between two checks of an awaited condition, in nanoseconds. */
  long AGAIN_NANOS = 500_000_000;

  Budget budget();

  List<String> nodes();

  /**
   * A member that has all of a region's data.
   *
   * @param node its server's node
   * @param dataNode the node of its DataNode
   */
  record Holder(String node, String dataNode) {}

  /** For each region, the members that have all of its data, as far as the master knows. */
  List<List<Holder>> pairs();

  /** For each region, the nodes of the servers that have all of its data. */
  default List<List<String>> holders() {
    return pairs().stream().map(of -> of.stream().map(Holder::node).toList()).toList();
  }

  /** Whether an epoch of each region has served. */
  boolean haveServed();

  /** Whether the node's DataNode runs and is not paused. */
  boolean hasDataNode(String node);

  /** Whether an operator takes the node's DataNode out of HDFS. */
  boolean isRetiring(String node);

  /** Whether every region serves with as many members as possible. */
  boolean isWhole();

  void trace(String line);

  void after(long nanos, Runnable what);

  // ---- servers ----

  /** Whether the node's processes run and are not paused. */
  boolean isUp(String node);

  /**
   * Runs an action as soon as the node is up and every region serves with as many members as
   * possible.
   */
  default void whenWholeWith(String node, Runnable then) {
    if (isUp(node) && isWhole()) {
      then.run();
    } else {
      after(AGAIN_NANOS, () -> whenWholeWith(node, then));
    }
  }

  /** The node's processes die. The master notes it after a while. */
  void crash(String node);

  /**
   * The node's region server ends, and its DataNode goes on. The master notes it after a while.
   *
   * @param forGood whether it never comes back
   */
  void endServer(String node, boolean forGood);

  /**
   * For a time, ZooKeeper and the master take the node's region server for gone, though it goes on
   * and clients reach it. It does not hear of that.
   */
  void hideServer(String node, long nanos);

  /** The node's processes run again. */
  void bringBack(String node);

  /** All processes of all nodes die and start again. */
  void crashAll();

  /**
   * Power fails at all clients, and at all nodes or all but one. What was not synced may be lost.
   * Another client mounts.
   */
  void cutPower();

  /**
   * Cuts the power of all servers, ZooKeeper's too: the client lives. Its session loses the lease,
   * unless ZooKeeper is back in time.
   */
  void cutPowerOfServers();

  /**
   * The node's processes stand still for this time. If it is long enough, the master takes them for
   * dead.
   */
  void pause(String node, long nanos);

  /** The node's clock jumps forward. {@link #CLIENT} makes every client's clock jump. */
  void jumpClock(String node, long nanos);

  /** Sets whether the cluster is without an active master. */
  void masterAway(boolean away);

  /** An operator asks the master to take a node out of every region's RRS. */
  void replaceMember(String node);

  /**
   * Restarts the node's region server, with members that {@code how} makes. Null makes them right
   * again.
   */
  void makeWrong(String node, MemberMaker how);

  /**
   * Asks the NameNode for a change of a segment's file, as a wrong member can.
   *
   * @param length the length, in bytes, at which the change would commit the file's block
   */
  void askNameNode(RegionId region, Deed deed, long segment, long length, byte[] permission);

  /** Asks the NameNode for a segment, as a wrong member can, and has these bytes as its replica. */
  void createSegment(String node, RegionId region, long segment, byte[] permission, byte[] replica);

  /** Has a wrong server write a wrong record of a region into ZooKeeper. */
  void forgeRecord(String node, RegionId region);

  // ---- HDFS ----

  /** Says a word about a region's epochs to the NameNode, as any server can. */
  void tellNameNode(RegionId region, byte[] word);

  /** Shows the NameNode an epoch that the region has had, as any server can. */
  void repeatEpoch(RegionId region);

  /**
   * Asks all other DataNodes to give their replicas of a region's segments a new stamp, as any
   * server can.
   *
   * @param invented whether the NameNode has not given out the stamp
   */
  void raiseStamps(String node, RegionId region, boolean invented);

  /** A wrong member has the NameNode count the replicas of its epoch, and says nothing more. */
  void count(String node, RegionId region, WrittenManifest proof);

  /**
   * A wrong member has the NameNode count its own replicas alone, or all members' under a stamp
   * that they do not have, and throws its own away.
   *
   * @param proof that its epoch serves
   */
  void miscount(String node, RegionId region, boolean alone, WrittenManifest proof);

  /**
   * The NameNode restarts. It does not know where replicas are until the DataNodes report them,
   * late and in parts.
   */
  void restartNameNode();

  /** Sets whether the NameNode hears which stamps DataNodes report of their replicas. */
  void reportStamps(boolean on);

  /** Sets whether the NameNode completes and deletes files. */
  void finishFiles(boolean on);

  /** Sets whether the NameNode answers nobody. */
  void nameNodeAway(boolean away);

  /**
   * Sets whether a node's DataNode is too slow to answer a recovery. Either way it forgets what its
   * member has said, as after a restart.
   */
  void slowDataNode(String node, boolean on);

  // ---- network ----

  /** Sets whether messages from one node to another are lost. Either may be {@link #CLIENT}. */
  void block(String from, String to, boolean on);

  /** Sets whether a node sends again, now and then, what it has sent or got before. */
  void replay(String node, boolean on);

  /** Sets how many of 1,000 messages are altered on their way. */
  void alter(int perMille);

  // ---- disks ----

  /** The replicas of log segments that a node holds. */
  List<LogReplica> logReplicas(String node);

  /** The number of replicas of checkpoints that a node holds. */
  int checkpointReplicas(String node);

  /** Damages one replica of a checkpoint, so that its checksums no longer match. */
  void damageCheckpoint(String node, int which, Random random);

  /** Sets whether reads and writes of a node's disk fail. */
  void breakDisk(String node, boolean on);

  /** Sets how an operator takes a node's DataNode out, or that it is in service. */
  void takeOut(String node, DataNodeState state);

  /** Sets whether the DataNodes are full. */
  void fillDisks(boolean on);

  // ---- clients ----

  /** Every client process dies. */
  void crashClients();

  /** A client mounts the volume. It takes the volume over if another client has it. */
  void mount();

  /** A client mounts the volume as soon as nobody has it. */
  void mountWhenFree();

  /**
   * Another process goes on for the user of the newest client, with what that one has kept.
   *
   * @param ends whether the process of that client has ended
   */
  void nextProcess(boolean ends);

  /**
   * Sets whether users' processes end now and then just after a claim, and at a power cut, and
   * others go on for them.
   */
  void endAfterClaims(boolean on);

  /**
   * Gives the newest client nothing more to do, and runs an action when it has nothing outstanding:
   * its reads would wait for its writes. Does nothing if no client has mounted the volume.
   *
   * @param then returns whether the rest goes on, until {@link #joinAgain}
   */
  void whenWriterRests(BooleanSupplier then);

  /**
   * Cuts the newest client, which rests, and a node off from everybody else, ZooKeeper and the
   * master included. They reach each other. The master takes the node for dead. The client's
   * application goes on reading.
   */
  void cutOffWriter(String node);

  /** Ends what {@link #cutOffWriter} began. */
  void joinAgain(String node);

  /**
   * The newest client's lease in ZooKeeper ends, and so does its session. Another client mounts.
   */
  void loseWriterLease();

  /** A replica of a log segment, as its DataNode holds it. */
  interface LogReplica {
    int length();

    byte[] read(int at, int count);

    void overwrite(int at, byte[] with);

    void truncate(int length);
  }
}
