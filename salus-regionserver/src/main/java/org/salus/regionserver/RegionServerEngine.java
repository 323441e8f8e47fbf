package org.salus.regionserver;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.salus.core.Reason;
import org.salus.core.member.RegionMember;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hosts the region members that the RRS records in ZooKeeper assign to this server (§4). It
 * announces its data port and follows the records of all volumes. When a new epoch names this
 * server, the engine stops the old member and starts the new one. Only the master looks at where
 * HBase has its replicas open.
 */
public final class RegionServerEngine implements RegionServerHost {
  private static final Logger LOG = LoggerFactory.getLogger(RegionServerEngine.class);
  private static final long RETRY_SECONDS = 2;
  private static final long RENEW_MINUTES = 10;
  private static final long STOP_SECONDS = 8;

  private final ScheduledExecutorService events =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-engine"));
  private final MemberFactory members;
  private final Start start;

  /**
   * The started parts, or null until the start has succeeded. Only the events' thread sets and uses
   * them.
   */
  private volatile RunningEngine running;

  /**
   * The newest start code, or 0 before the first start. Only the events' thread uses it.
   *
   * <p>Each start has one of its own, so that the engine's members of before count as gone: no
   * process may start a second member of an epoch.
   */
  private long startCode;

  /** Whether the engine was stopped. Only the events' thread uses this field. */
  private boolean stopped;

  /** Starts all parts of an engine, or none. */
  interface Start {
    RunningEngine start(ServerContext context, MemberFactory members, Runnable unguarded)
        throws IOException;
  }

  /** An engine with the standard members. A region server calls this constructor by reflection. */
  public RegionServerEngine() {
    this(RegionMember::new);
  }

  /** An engine whose members come from this factory. */
  public RegionServerEngine(MemberFactory members) {
    this(members, RunningEngine::start);
  }

  RegionServerEngine(MemberFactory members, Start start) {
    this.members = members;
    this.start = start;
  }

  @Override
  public void start(ServerContext context) {
    events.execute(() -> begin(context));
    events.scheduleWithFixedDelay(
        this::renewLeases, RENEW_MINUTES, RENEW_MINUTES, TimeUnit.MINUTES);
  }

  private void renewLeases() {
    if (running != null) {
      running.renewLeases();
    }
  }

  private void begin(ServerContext context) {
    if (stopped) {
      return; // the executor runs a retry that was due later, even after its shutdown
    }
    startCode =
        startCode == 0 ? context.startCode() : Math.max(startCode + 1, System.currentTimeMillis());
    try {
      running = start.start(context.withStartCode(startCode), members, () -> unguarded(context));
    } catch (IOException failed) {
      LOG.warn("the engine of {} does not start yet: {}", context.node(), failed.getMessage());
      beginLater(context);
    } catch (RuntimeException bug) {
      context.faults().onFault("starting the engine of " + context.node(), bug);
    }
  }

  private void beginLater(ServerContext context) {
    if (!events.isShutdown()) {
      events.schedule(() -> begin(context), RETRY_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Stops serving until the NameNode is guarded again. Any thread may call it. */
  private void unguarded(ServerContext context) {
    try {
      events.execute(() -> end(context));
    } catch (RejectedExecutionException stopping) {
      LOG.debug("the engine of {} stops anyway", context.node());
    }
  }

  private void end(ServerContext context) {
    if (running != null && !stopped) {
      LOG.error("the engine of {} ends: {}", context.node(), Reason.unguarded().words());
      running.close();
      running = null;
      beginLater(context);
    }
  }

  @Override
  public boolean isReady() {
    return running != null;
  }

  @Override
  public void replicaOpened(String volume, int region, int replica) {
    LOG.debug("replica {} of {}/{} opened", replica, volume, region);
  }

  @Override
  public void replicaClosed(String volume, int region, int replica) {
    LOG.debug("replica {} of {}/{} closed", replica, volume, region);
  }

  @Override
  public void stop() {
    Future<?> done =
        events.submit(
            () -> {
              stopped = true;
              if (running != null) {
                running.close();
              }
            });
    events.shutdown();
    try {
      done.get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException unclean) {
      LOG.warn("the engine did not stop in time", unclean);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
    }
  }
}
