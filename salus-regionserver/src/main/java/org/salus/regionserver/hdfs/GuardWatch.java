package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.salus.core.Reason;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the NameNode whether it is guarded, when the engine starts and every few seconds after that:
 * a NameNode may be started again without its guard. While it does not answer, its last word holds.
 */
public final class GuardWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardWatch.class);
  private static final long PERIOD_SECONDS = 5;
  private static final int ENOUGH = 2;

  private final ScheduledExecutorService asker =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-guard"));
  private final NameNode nameNode;

  /**
   * How often the NameNode has said in a row that it has no guard. A single time may have been a
   * mistake of something between, and all servers would end at once. Each time it is asked by a new
   * connection ({@code GuardProbe}).
   */
  private volatile int unguarded;

  /** Tells of the NameNode's guard. */
  public interface NameNode {
    /** Blocks for some seconds at most. */
    boolean isGuarded() throws IOException;
  }

  private GuardWatch(NameNode nameNode) {
    this.nameNode = nameNode;
  }

  /**
   * Asks for the first time.
   *
   * @param lost runs, once or more, after the NameNode has said twice in a row that it has no guard
   *     any more
   * @throws IOException if the NameNode has no guard or does not answer
   */
  public static GuardWatch start(NameNode nameNode, Runnable lost) throws IOException {
    GuardWatch watch = new GuardWatch(nameNode);
    try {
      watch.ask();
    } catch (IOException unknown) {
      watch.close();
      throw new IOException(
          "the NameNode does not say whether it is guarded: " + unknown.getMessage(), unknown);
    }
    if (watch.unguarded > 0) {
      watch.close();
      throw new IOException(Reason.unguarded().words());
    }
    watch.asker.scheduleWithFixedDelay(
        () -> watch.look(lost), PERIOD_SECONDS, PERIOD_SECONDS, TimeUnit.SECONDS);
    return watch;
  }

  private void look(Runnable lost) {
    try {
      ask();
    } catch (IOException unknown) {
      LOG.debug("it is not known whether the NameNode is guarded", unknown);
    }
    if (unguarded >= ENOUGH) {
      lost.run();
    }
  }

  private void ask() throws IOException {
    unguarded = nameNode.isGuarded() ? 0 : unguarded + 1;
  }

  @Override
  public void close() {
    asker.shutdownNow();
  }
}
