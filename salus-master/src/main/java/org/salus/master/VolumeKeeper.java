package org.salus.master;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after all volumes while its master is active (§4.4 phase 1). It makes HBase and the servers
 * follow the records in ZooKeeper, after every change and once a second. Every step may be done
 * twice, and by two masters at once.
 */
public final class VolumeKeeper implements MasterHost {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeKeeper.class);
  private static final long PERIOD_MILLIS = 1_000;

  private final ScheduledExecutorService worker =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-master"));

  /**
   * Runs requests to HBase. They take long while hbase:meta is not served, and regions do not wait
   * for them.
   */
  private final ExecutorService tables =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-tables"));

  private final AtomicBoolean due = new AtomicBoolean();
  private final long began = System.nanoTime();

  private final Start start;

  /** The volumes, or null until ZooKeeper was reached. */
  private volatile KeptVolumes volumes;

  /** Connects to ZooKeeper; see {@link KeptVolumes#start}. */
  interface Start {
    KeptVolumes start(MasterContext context, Executor tables, Runnable wake, long began)
        throws IOException;
  }

  /** Made by a master that has it configured. */
  public VolumeKeeper() {
    this(KeptVolumes::start);
  }

  VolumeKeeper(Start start) {
    this.start = start;
  }

  @Override
  public void start(MasterContext context) {
    worker.execute(() -> begin(context));
    worker.scheduleWithFixedDelay(
        () -> guardedRound(context), PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void begin(MasterContext context) {
    if (worker.isShutdown()) {
      return; // the executor runs a retry that was due later, even after its shutdown
    }
    try {
      KeptVolumes started = start.start(context, tables, () -> wake(context), began);
      volumes = started;
      if (worker.isShutdown()) {
        started.close(); // stop() may have come too early to see it
      }
    } catch (IOException failed) {
      LOG.warn("cannot look after volumes yet: {}", failed.getMessage());
      if (!worker.isShutdown()) {
        worker.schedule(() -> begin(context), PERIOD_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Asks for a round soon. Many requests make one round. */
  private void wake(MasterContext context) {
    if (due.compareAndSet(false, true)) {
      try {
        worker.execute(() -> guardedRound(context));
      } catch (RejectedExecutionException stopped) {
        LOG.debug("the master has stopped");
      }
    }
  }

  private void guardedRound(MasterContext context) {
    due.set(false);
    KeptVolumes v = volumes;
    if (v == null) {
      return;
    }
    try {
      v.round();
    } catch (IOException failed) {
      LOG.warn(
          "a round over the volumes failed, the next one tries again: {}", failed.getMessage());
    } catch (RuntimeException bug) {
      if (!worker.isShutdown()) { // stop() closes what a round still uses
        context.faults().onFault("looking after volumes", bug);
      }
    }
  }

  @Override
  public boolean guardsTables() {
    return true;
  }

  @Override
  public boolean keeps(String volume) {
    KeptVolumes v = volumes;
    return v == null || v.mayHave(volume);
  }

  @Override
  public void stop() {
    worker.shutdown();
    tables.shutdownNow();
    KeptVolumes v = volumes;
    if (v != null) {
      v.close();
    }
  }
}
