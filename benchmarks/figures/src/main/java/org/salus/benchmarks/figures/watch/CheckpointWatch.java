package org.salus.benchmarks.figures.watch;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.salus.benchmarks.peers.Pauses;
import org.salus.host.DaemonThreads;

/**
 * Looks twice a second how many checkpoints regions have, and counts those that come and go. The
 * counts are lower bounds. Thread-safe.
 */
public final class CheckpointWatch implements AutoCloseable {
  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Supplier<List<Integer>> look;
  private final Thread thread = DaemonThreads.create("checkpoint-watch", this::run);
  private List<Integer> last = List.of();
  private int added;
  private int merged;
  private volatile boolean stopped;

  /**
   * @param look tells the checkpoints of each region, negative where that is not known
   */
  public CheckpointWatch(Supplier<List<Integer>> look) {
    this.look = look;
  }

  /** Looks from now on, until it is closed. */
  public CheckpointWatch start() {
    thread.start();
    return this;
  }

  private void run() {
    while (!stopped) {
      seen(look.get());
      Pauses.pause(EVERY_NANOS);
    }
  }

  /**
   * Counts what has changed. If a region has more checkpoints than before, some were added. If it
   * has fewer, some were merged, for nothing else takes any away.
   */
  synchronized void seen(List<Integer> now) {
    for (int r = 0; r < Math.min(now.size(), last.size()); r++) {
      int more = now.get(r) - last.get(r);
      if (now.get(r) >= 0 && last.get(r) >= 0) {
        added += Math.max(0, more);
        merged += more < 0 ? 1 : 0;
      }
    }
    last = now;
  }

  public synchronized int added() {
    return added;
  }

  public synchronized int merged() {
    return merged;
  }

  @Override
  public void close() {
    stopped = true;
  }
}
