package org.salus.regionserver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.salus.host.DaemonThreads;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;

/** The loops of one server and its threads for work that blocks. Thread-safe. */
final class ServerThreads implements AutoCloseable {
  private static final int READERS = 4;
  private static final int NOTERS = 4;

  private final String host;
  private final Loops loops;
  private final ExecutorService reads;
  private final ExecutorService notes;
  private final ExecutorService flushes;

  /** By level, so that long ones do not hold up short ones. */
  private final Map<Integer, ExecutorService> compactions = new ConcurrentHashMap<>();

  /**
   * Starts them.
   *
   * @param host goes into the threads' names
   * @param loopCount loops, at least 1
   * @param faults takes the bugs of the loops' tasks
   */
  ServerThreads(String host, int loopCount, FaultHandler faults) {
    this.host = host;
    this.loops = new Loops("salus-" + host, loopCount, faults);
    this.reads = Executors.newFixedThreadPool(READERS, DaemonThreads.named("salus-read-" + host));
    this.notes = Executors.newFixedThreadPool(NOTERS, DaemonThreads.named("salus-note-" + host));
    this.flushes = Executors.newSingleThreadExecutor(DaemonThreads.named("salus-flush-" + host));
  }

  Loops loops() {
    return loops;
  }

  /** For the members' blocking work. */
  MemberHost.Pools pools() {
    return new MemberHost.Pools(reads, flushes, this::compactions);
  }

  private Executor compactions(int level) {
    return compactions.computeIfAbsent(
        level,
        l ->
            Executors.newSingleThreadExecutor(
                DaemonThreads.named("salus-compact-" + l + "-" + host)));
  }

  /** Runs what is noted in ZooKeeper: it does not wait for HDFS. */
  Executor notes() {
    return notes;
  }

  /** Ends all; short work that was begun is done, a flush or a compaction is cut short. */
  @Override
  public void close() {
    loops.close();
    reads.shutdown();
    notes.shutdown();
    flushes.shutdownNow();
    compactions.values().forEach(ExecutorService::shutdownNow);
  }
}
