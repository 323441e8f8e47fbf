package org.salus.regionserver;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.salus.core.Endpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one member's work on its threads until the member stops, and drops work that has not begun
 * by then. A bug in the work stops the member. Thread-safe.
 */
final class MemberTasks {
  private static final Logger LOG = LoggerFactory.getLogger(MemberTasks.class);

  private final Endpoint.Member self;
  private final MemberHost.Threads threads;
  private final Work atStop;
  private final Consumer<String> failed;
  private volatile boolean stopped;

  /** Work that blocks. */
  interface Work {
    void run() throws IOException;
  }

  /**
   * @param atStop runs last, on the I/O thread
   * @param failed is told once why the member failed
   */
  MemberTasks(
      Endpoint.Member self, MemberHost.Threads threads, Work atStop, Consumer<String> failed) {
    this.self = self;
    this.threads = threads;
    this.atStop = atStop;
    this.failed = failed;
  }

  /** Whether the member has failed, or was stopped. */
  boolean isStopped() {
    return stopped;
  }

  /** Stops at once. */
  void stop() {
    stopped = true;
    threads
        .io()
        .execute(
            () -> {
              try {
                atStop.run();
              } catch (IOException e) {
                LOG.info("closing the replicas of {}: {}", self, e.toString());
              }
            });
  }

  /**
   * Stops the member and reports why, unless it has stopped already. Only the first line is for
   * people: stack traces of the NameNode may follow.
   */
  void fail(String why) {
    fail(why, failed);
  }

  /**
   * Same as {@link #fail(String)}.
   *
   * @param told is told why, in place of the usual one
   */
  void fail(String why, Consumer<String> told) {
    if (!stopped) {
      LOG.warn("{} stops: {}", self, why);
      stop();
      told.accept(why.lines().findFirst().orElse(why));
    }
  }

  private void bug(RuntimeException e) {
    LOG.error("bug in {}: it stops", self, e);
    fail("bug: " + e);
  }

  void onLoop(Runnable task) {
    if (!stopped) {
      onLoop(task, () -> {});
    }
  }

  /**
   * Runs a task on the loop.
   *
   * @param always runs before it, even when the member has stopped
   */
  void onLoop(Runnable task, Runnable always) {
    threads
        .loop()
        .execute(
            () -> {
              always.run();
              if (!stopped) {
                try {
                  task.run();
                } catch (RuntimeException e) {
                  bug(e);
                }
              }
            });
  }

  /**
   * Runs work on the I/O thread, one task after the other.
   *
   * @param whenFailed gets the failure, on the loop
   */
  void onIo(Work work, Consumer<IOException> whenFailed) {
    try {
      threads.io().execute(() -> perform(work, whenFailed));
    } catch (RejectedExecutionException closed) {
      if (!stopped) {
        throw closed;
      }
    }
  }

  private void perform(Work work, Consumer<IOException> whenFailed) {
    if (stopped) {
      return;
    }
    try {
      work.run();
    } catch (IOException e) {
      LOG.warn("{}: {}", self, e.toString());
      onLoop(() -> whenFailed.accept(e));
    } catch (RuntimeException e) {
      onLoop(() -> bug(e));
    }
  }

  /** Runs work on one of the pools. */
  void onPool(Executor pool, Runnable work) {
    pool.execute(
        () -> {
          if (!stopped) {
            try {
              work.run();
            } catch (RuntimeException e) {
              onLoop(() -> bug(e));
            }
          }
        });
  }
}
