package org.salus.regionserver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import org.salus.host.DaemonThreads;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loops;

/** The loops of one server and its threads for blocking work. Thread-safe. */
final class ServerThreads implements AutoCloseable {
  private static final int READERS = 4;
  private static final int NOTERS = 4;

  private final String host;
  private final Loops loops;
  private final ExecutorService reads;
  private final ExecutorService notes;
  private final ExecutorService flushes;
  private final ScheduledExecutorService deletions;

  /** A thread for the compactions of each level, so that long ones do not hold up short ones. */
  private final Map<Integer, ExecutorService> compactions = new ConcurrentHashMap<>();

  /**
   * Starts them.
   *
   * @param host the server's address, part of the threads' names
   * @param loopCount the number of loops, at least 1
   * @param faults takes the bugs of the loops' tasks
   */
  ServerThreads(String host, int loopCount, FaultHandler faults) {
    this.host = host;
    this.loops = new Loops("salus-" + host, loopCount, faults);
    this.reads = Executors.newFixedThreadPool(READERS, DaemonThreads.named("salus-read-" + host));
    this.notes = Executors.newFixedThreadPool(NOTERS, DaemonThreads.named("salus-note-" + host));
    this.flushes = Executors.newSingleThreadExecutor(DaemonThreads.named("salus-flush-" + host));
    this.deletions =
        new ScheduledThreadPoolExecutor(
            1, DaemonThreads.named("salus-delete-" + host), new ThreadPoolExecutor.DiscardPolicy());
  }

  Loops loops() {
    return loops;
  }

  /** The pools for the members' blocking work. */
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

  /** Runs writes to ZooKeeper, which therefore do not wait for HDFS. */
  Executor notes() {
    return notes;
  }

  /** Removes volumes' files. Takes and does nothing more once the threads have ended. */
  ScheduledExecutorService deletions() {
    return deletions;
  }

  /** Ends all threads. Short work that has begun is done; what takes long is cut short. */
  @Override
  public void close() {
    loops.close();
    reads.shutdown();
    notes.shutdown();
    flushes.shutdownNow();
    deletions.shutdownNow();
    compactions.values().forEach(ExecutorService::shutdownNow);
  }
}
