package org.salus.master;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HBase table of one volume. HBase is asked on another thread, for one thing at a time; what
 * fails is to be asked for again in the next round. Thread-safe.
 */
final class KeptTable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptTable.class);

  private final String volume;
  private final MasterContext context;
  private final Executor tables;
  private final Runnable wake;

  /** Whether HBase is asked for something just now. */
  private final AtomicBoolean asking = new AtomicBoolean();

  private volatile boolean made;

  /** What is done when the table is gone. */
  interface Then {
    void run() throws IOException;
  }

  /**
   * @param tables does what has to wait for HBase
   * @param wake run after each success
   */
  KeptTable(String volume, MasterContext context, Executor tables, Runnable wake) {
    this.volume = volume;
    this.context = context;
    this.tables = tables;
    this.wake = wake;
  }

  /** Has the table made, unless it has been. */
  void create(int regions) {
    if (!made) {
      ask(
          () -> {
            context.tables().create(volume, regions);
            made = true;
          });
    }
  }

  /** Has the table deleted, and then does the rest. */
  void delete(Then rest) {
    ask(
        () -> {
          context.tables().delete(volume);
          rest.run();
        });
  }

  private void ask(Then work) {
    if (!asking.compareAndSet(false, true)) {
      return;
    }
    try {
      tables.execute(
          () -> {
            try {
              work.run();
              wake.run();
            } catch (IOException failed) {
              LOG.warn("volume {}: {}", volume, failed.getMessage());
            } catch (RuntimeException bug) {
              context.faults().onFault("the table of volume " + volume, bug);
            } finally {
              asking.set(false);
            }
          });
    } catch (RejectedExecutionException stopped) {
      LOG.debug("the master has stopped");
    }
  }
}
