package org.salus.master;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.core.Reason;
import org.salus.core.replacement.DataNodeState;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the NameNode has last said of HDFS. It is asked on a thread of its own, at most once in 5 s,
 * so nobody waits for it. While it does not answer, its last word about DataNodes holds.
 * Thread-safe.
 */
final class HdfsView implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HdfsView.class);
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The time between two questions while volumes wait for the end of safe mode, or for a guard. */
  private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * The age after which a word about safe mode or the guard no longer counts. Without any answer
   * for so long, the NameNode is silent.
   */
  private static final long OLD_NANOS = TimeUnit.SECONDS.toNanos(15);

  private final MasterContext context;
  private final Runnable wake;
  private final ExecutorService asker =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-hdfs"));
  private final AtomicBoolean asking = new AtomicBoolean();

  private volatile HdfsReport report = HdfsReport.NONE;
  private volatile boolean known;
  private volatile long heard;
  private volatile long asked = System.nanoTime() - PERIOD_NANOS;
  private volatile String failure = "";

  /** Whether the last question had no answer. */
  private volatile boolean failed;

  /** When the NameNode has answered last, be it by a refusal. */
  private volatile long answered = System.nanoTime();

  /**
   * @param wake runs after a DataNode's state has changed; the view's thread runs it
   */
  HdfsView(MasterContext context, Runnable wake) {
    this.context = context;
    this.wake = wake;
  }

  /** The bytes for which DataNodes in service have room; not a number while nothing is known. */
  double room() {
    return known ? report.room() : Double.NaN;
  }

  /** Has the NameNode asked, if it is time. Does not block. */
  void refresh() {
    long period = trouble().isPresent() ? SOON_NANOS : PERIOD_NANOS;
    if (System.nanoTime() - asked < period || !asking.compareAndSet(false, true)) {
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
      HdfsReport before = report;
      report = context.hdfs();
      failure = "";
      known = true;
      heard = System.nanoTime();
      answer(true);
      compare(before, report);
    } catch (HdfsReport.RefusedException refused) {
      answer(true);
      warn(refused);
    } catch (IOException noAnswer) {
      answer(false);
      warn(noAnswer);
    } catch (RuntimeException bug) {
      context.faults().onFault("the state of HDFS", bug);
    } finally {
      asked = System.nanoTime();
      asking.set(false);
    }
  }

  private void warn(IOException noReport) {
    String why = String.valueOf(noReport.getMessage());
    if (!why.equals(failure)) { // once, not every 5 s
      failure = why;
      LOG.warn("the NameNode does not say in which state HDFS is: {}", why);
    }
  }

  private void answer(boolean came) {
    boolean changes = failed == came;
    failed = !came;
    answered = came ? System.nanoTime() : answered;
    if (changes) {
      wake.run();
    }
  }

  private void compare(HdfsReport before, HdfsReport now) {
    if (before.safeMode() != now.safeMode()) {
      LOG.warn("{}", now.safeMode() ? Reason.SAFE_MODE.words() : "HDFS has left safe mode");
      wake.run();
    }
    if (before.guarded() != now.guarded()) {
      LOG.warn("{}", unguarded().map(Reason::words).orElse("the NameNode is guarded again"));
      wake.run();
    }
    if (before.quota().isPresent() != now.quota().isPresent()) {
      LOG.warn("{}", now.quota().map(Reason::words).orElse("the quotas in HDFS leave room again"));
      wake.run();
    }
    now.dataNodes().forEach((node, n) -> compare(node, before.dataNodes().get(node), n));
  }

  private void compare(String node, DataNodeReport before, DataNodeReport now) {
    DataNodeState from = before == null ? DataNodeState.IN_SERVICE : before.state();
    if (from != now.state()) {
      LOG.info("HDFS says that DataNode {} {}", node, now.state().words());
      wake.run();
    }
  }

  /** Whether the NameNode has said anything yet. */
  boolean isKnown() {
    return known;
  }

  /** Why no epoch can open and nobody is to blame, as far as it is known. */
  Optional<Reason> trouble() {
    if (isSilent()) {
      return Optional.of(Reason.NO_NAMENODE);
    }
    if (isOld()) {
      return Optional.empty();
    }
    return report.safeMode() ? Optional.of(Reason.SAFE_MODE) : unguarded();
  }

  private Optional<Reason> unguarded() {
    return report.guarded() ? Optional.empty() : Optional.of(Reason.unguarded());
  }

  /** Why HDFS does not do what volumes and HBase need, as far as it is known. */
  Optional<Reason> reason() {
    return trouble().or(() -> isOld() ? Optional.empty() : report.quota());
  }

  private boolean isSilent() {
    return failed || known && System.nanoTime() - answered > OLD_NANOS;
  }

  private boolean isOld() {
    return System.nanoTime() - heard > OLD_NANOS;
  }

  /**
   * The state of a DataNode, as far as it is known.
   *
   * @param address {@code ip:port} of its data transfer server
   * @param needed the bytes for which it must have room
   */
  DataNodeState state(String address, long needed) {
    HdfsReport now = report;
    DataNodeReport node = now.dataNodes().get(address);
    if (node == null) { // the NameNode does not hear it, or nothing is known yet
      return now.dataNodes().isEmpty() ? DataNodeState.IN_SERVICE : DataNodeState.STALE;
    }
    return node.state() == DataNodeState.IN_SERVICE && node.remaining() < needed
        ? DataNodeState.FULL
        : node.state();
  }

  /** The DataNodes in service that have this much room, in bytes, by address. */
  List<String> withRoom(long needed) {
    List<String> all = new ArrayList<>();
    new TreeMap<>(report.dataNodes())
        .forEach(
            (address, node) -> {
              if (node.state() == DataNodeState.IN_SERVICE && node.remaining() >= needed) {
                all.add(address);
              }
            });
    return all;
  }

  @Override
  public void close() {
    asker.shutdownNow();
  }
}
