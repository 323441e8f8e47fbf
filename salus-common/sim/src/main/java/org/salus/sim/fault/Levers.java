package org.salus.sim.fault;

import java.util.List;
import java.util.Random;
import org.salus.sim.parts.MemberMaker;

/**
 * The levers of a simulated cluster. Nodes are named; {@link #CLIENT} stands for the machines of
 * all clients. Times are in nanoseconds.
 */
public interface Levers {
  /** The machines of all clients, where a node is named. */
  String CLIENT = "client";

  /** Between two looks at what is waited for. */
  long AGAIN_NANOS = 500_000_000;

  Budget budget();

  List<String> nodes();

  /** For each region the nodes that have all of its data, as the master knows. */
  List<List<String>> holders();

  /** Whether every region is served by as many members as there can be. */
  boolean isWhole();

  void trace(String line);

  void after(long nanos, Runnable what);

  // ---- servers ----

  /** Whether its processes run and do not stand still. */
  boolean isUp(String node);

  /**
   * Does something as soon as the node is up and every region is served by as many members as there
   * can be.
   */
  default void whenWholeWith(String node, Runnable then) {
    if (isUp(node) && isWhole()) {
      then.run();
    } else {
      after(AGAIN_NANOS, () -> whenWholeWith(node, then));
    }
  }

  /** The node's processes die; the master notes it after a while. */
  void crash(String node);

  /** The node's processes run again. */
  void bringBack(String node);

  /** All processes of all nodes die and start again. */
  void crashAll();

  /**
   * Power fails at all clients and at all nodes, or all but one: what was not synced may be lost.
   * Another client mounts.
   */
  void cutPower();

  /**
   * The node's processes stand still for so long; the master takes them for gone if that is long
   * enough.
   */
  void pause(String node, long nanos);

  /** The node's clock jumps forward; {@link #CLIENT}: that of every client. */
  void jumpClock(String node, long nanos);

  /** Whether no master is active. */
  void masterAway(boolean away);

  /** An operator wants a node out of the members of every region. */
  void replaceMember(String node);

  /**
   * The node's members are made by {@code how}, or are right again if that is null; its region
   * server starts again.
   */
  void makeWrong(String node, MemberMaker how);

  // ---- network ----

  /** Whether nothing gets from one node to another; either may be {@link #CLIENT}. */
  void block(String from, String to, boolean on);

  /** Of 1,000 messages so many are altered on their way. */
  void alter(int perMille);

  // ---- disks ----

  /** The replicas of log segments that a node holds. */
  List<LogReplica> logReplicas(String node);

  /** How many replicas of checkpoints a node holds. */
  int checkpointReplicas(String node);

  /** One of them no longer is what its checksums say. */
  void damageCheckpoint(String node, int which, Random random);

  /** Whether reads and writes of a node's disk fail. */
  void breakDisk(String node, boolean on);

  /** Whether the DataNodes have no room. */
  void fillDisks(boolean on);

  // ---- clients ----

  /** Every client process dies. */
  void crashClients();

  /** A client mounts the volume, and takes it over if need be. */
  void mount();

  /** The newest client's lease in ZooKeeper ends: so does its session, and another mounts. */
  void loseWriterLease();

  /** A replica of a log segment as its DataNode holds it. */
  interface LogReplica {
    int length();

    byte[] read(int at, int count);

    void overwrite(int at, byte[] with);

    void truncate(int length);
  }
}
