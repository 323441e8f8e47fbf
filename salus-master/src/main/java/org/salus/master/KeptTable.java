package org.salus.master;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.core.Reason;
import org.salus.host.VolumeTables;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HBase table of one volume. It asks HBase on another thread, for one thing at a time. The
 * caller repeats a failed request in its next round. Thread-safe.
 */
final class KeptTable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptTable.class);

  private final String volume;
  private final MasterContext context;
  private final Executor tables;
  private final Runnable wake;

  /** Whether a request to HBase is under way. */
  private final AtomicBoolean asking = new AtomicBoolean();

  private volatile boolean made;

  /** Why the table is not there. */
  private volatile Optional<Reason> failure = Optional.empty();

  /** Work that may fail. */
  interface Then {
    void run() throws IOException;
  }

  /**
   * @param tables runs the requests, which wait for HBase
   * @param wake runs after each success
   */
  KeptTable(String volume, MasterContext context, Executor tables, Runnable wake) {
    this.volume = volume;
    this.context = context;
    this.tables = tables;
    this.wake = wake;
  }

  boolean isMade() {
    return made;
  }

  /** Has the table made, unless that has been done. */
  void create(int regions) {
    if (!made) {
      ask(
          () -> {
            try {
              context.tables().create(volume, regions);
            } catch (IOException failed) {
              String why = String.valueOf(failed.getMessage()).lines().findFirst().orElse("");
              failure = Optional.of(Reason.tableFails(why));
              throw failed;
            }
            failure = Optional.empty();
            made = true;
          });
    }
  }

  /**
   * What is wrong with the table. One that is gone will be made again.
   *
   * @param found the number of replicas of regions that HBase has; empty when it was asked before
   *     the table was made
   */
  Optional<Reason> trouble(int regions, OptionalInt found) {
    if (!made || found.isEmpty()) {
      return failure;
    }
    int wanted = regions * VolumeTables.REPLICAS;
    if (found.getAsInt() == 0) {
      failure = Optional.of(Reason.tableGone());
      made = false;
      return failure;
    }
    return found.getAsInt() == wanted
        ? failure
        : Optional.of(Reason.tableDiffers(found.getAsInt(), wanted));
  }

  /** Has the table deleted and then runs {@code rest}, both on the other thread. */
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
