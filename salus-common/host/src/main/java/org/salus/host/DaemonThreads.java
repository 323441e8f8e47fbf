package org.salus.host;

import java.util.concurrent.ThreadFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes threads that do not keep the process alive. An exception that such a thread does not catch
 * is a bug: it goes to a fault handler, or else to the log. Thread-safe.
 */
public final class DaemonThreads {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonThreads.class);
  private static final FaultHandler LOGGED =
      (what, bug) -> LOG.error("BUG: {} threw what nobody caught", what, bug);

  private DaemonThreads() {}

  /** A factory whose threads all carry {@code name}; bugs go to the log. */
  public static ThreadFactory named(String name) {
    return named(name, LOGGED);
  }

  /** A factory whose threads all carry {@code name}; bugs go to {@code faults}. */
  public static ThreadFactory named(String name, FaultHandler faults) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((t, bug) -> faults.onFault("thread " + name, bug));
      return thread;
    };
  }

  /** Makes a thread without starting it; bugs go to the log. */
  public static Thread create(String name, Runnable task) {
    return named(name).newThread(task);
  }

  /** Runs {@code task} on a thread of its own, started at once; bugs go to the log. */
  public static Thread start(String name, Runnable task) {
    Thread thread = create(name, task);
    thread.start();
    return thread;
  }
}
