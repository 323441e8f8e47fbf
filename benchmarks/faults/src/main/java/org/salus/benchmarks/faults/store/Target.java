package org.salus.benchmarks.faults.store;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.salus.benchmarks.faults.hdfs.Replicas;
import org.salus.benchmarks.faults.history.BlockStore;

/** What faults are done to: volumes, or tables. Calls block. */
public interface Target extends AutoCloseable {
  /** Kinds of files. */
  enum Kind {
    LOG,
    CHECKPOINT
  }

  /** What this kind of store is called in tables and messages. */
  String label();

  /**
   * How long the store may take by design to go on after a crash. A verdict waits at least so long.
   */
  Duration recovery();

  /** Makes a store of two regions, in which nothing was written. */
  void create(String name, int blocks) throws IOException;

  /**
   * Opens a store for writing, and shuts out whoever has it open.
   *
   * @param patience requests, and this call, fail after so long
   */
  BlockStore open(String name, Duration patience) throws IOException;

  /**
   * Waits until a part of what was written is in checkpoints. If that takes long, it gives up
   * quietly.
   */
  void settle(String name) throws IOException;

  /** Has its regions opened anew from what is on disk. If that takes long, it gives up quietly. */
  void renew(String name) throws IOException;

  /** Whether {@link #renew} touches no other store. */
  boolean renewsAlone();

  /** The nodes of the servers that serve it, the most harmful first. */
  List<String> nodes(String name) throws IOException;

  /** Its files of a kind, with their replicas. */
  List<Replicas> files(String name, Kind kind) throws IOException;

  /** What can be wrong in the cluster's record of who serves a region. */
  enum WrongRecord {
    /** Another server alone, which nobody has put there. */
    FORGED,
    /** Who served it before, though others have taken its place. */
    OLD
  }

  /** Writes a wrong record of the first region, as anybody can who reaches the records. */
  void falsify(String name, WrongRecord how) throws IOException;

  /** Removes it, open or not. */
  void delete(String name) throws IOException;

  /** Arguments from which a client in another process knows how to open it. */
  List<String> arguments();

  @Override
  void close();
}
