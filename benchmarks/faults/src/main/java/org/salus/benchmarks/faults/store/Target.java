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

  /** For tables and messages. */
  String label();

  /**
   * How long it takes by design to go on after a crash, at most; a verdict waits at least so long.
   */
  Duration recovery();

  /** Makes a store of two regions, in which nothing was written. */
  void create(String name, int blocks) throws IOException;

  /**
   * Opens it for writing, in the place of whoever has it open.
   *
   * @param patience requests, and this call, fail after so long
   */
  BlockStore open(String name, Duration patience) throws IOException;

  /**
   * Waits until a part of what was written is in checkpoints; gives up quietly when that takes
   * long.
   */
  void settle(String name) throws IOException;

  /** Has its regions opened anew, from what is on disk; gives up quietly when that takes long. */
  void renew(String name) throws IOException;

  /** Whether {@link #renew} touches no other store. */
  boolean renewsAlone();

  /** Nodes of the servers that serve it, by how much harm they can do. */
  List<String> nodes(String name) throws IOException;

  /** Its files of a kind, with their replicas. */
  List<Replicas> files(String name, Kind kind) throws IOException;

  /** Removes it, open or not. */
  void delete(String name) throws IOException;

  /** Arguments from which a client in another process knows how to open it. */
  List<String> arguments();

  @Override
  void close();
}
