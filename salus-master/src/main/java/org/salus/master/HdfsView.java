package org.salus.master;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.core.replacement.DataNodeState;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the NameNode has last said of the DataNodes. It is asked on a thread of its own, at most
 * once in 5 s, so nobody waits for it. While it does not answer, its last word holds. Thread-safe.
 */
final class HdfsView implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HdfsView.class);
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MasterContext context;
  private final Runnable wake;
  private final ExecutorService asker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-hdfs"));
  private final AtomicBoolean asking = new AtomicBoolean();

  private volatile Map<String, DataNodeReport> reports = Map.of();
  private volatile long asked = System.nanoTime() - PERIOD_NANOS;
  private volatile String failure = "";

  /**
   * @param wake runs after a DataNode's state has changed; the view's thread runs it
   */
  HdfsView(MasterContext context, Runnable wake) {
    this.context = context;
    this.wake = wake;
  }

  /** Has the NameNode asked, if it is time. Does not block. */
  void refresh() {
    if (System.nanoTime() - asked < PERIOD_NANOS || !asking.compareAndSet(false, true)) {
      return;
    }
    try {
      asker.execute(this::ask);
    } catch (RejectedExecutionException stopped) {
      LOG.debug("the master has stopped");
    }
  }

  private void ask() {
    try {
      Map<String, DataNodeReport> before = reports;
      reports = Map.copyOf(context.dataNodes());
      failure = "";
      reports.forEach((node, now) -> told(node, before.get(node), now));
    } catch (IOException failed) {
      String why = String.valueOf(failed.getMessage());
      if (!why.equals(failure)) { // once, not every 5 s
        failure = why;
        LOG.warn("the NameNode does not say in which state its DataNodes are: {}", why);
      }
    } catch (RuntimeException bug) {
      context.faults().onFault("the states of DataNodes", bug);
    } finally {
      asked = System.nanoTime();
      asking.set(false);
    }
  }

  private void told(String node, DataNodeReport before, DataNodeReport now) {
    DataNodeState from = before == null ? DataNodeState.IN_SERVICE : before.state();
    if (from != now.state()) {
      LOG.info("HDFS says that DataNode {} {}", node, now.state().words());
      wake.run();
    }
  }

  /**
   * The state of a DataNode, as far as it is known.
   *
   * @param address {@code ip:port} of its data transfer server
   * @param needed the bytes for which it must have room
   */
  DataNodeState state(String address, long needed) {
    DataNodeReport report = reports.get(address);
    if (report == null) {
      return DataNodeState.IN_SERVICE;
    }
    return report.state() == DataNodeState.IN_SERVICE && report.remaining() < needed
        ? DataNodeState.FULL
        : report.state();
  }

  @Override
  public void close() {
    asker.shutdownNow();
  }
}
