package org.salus.client;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.salus.host.netty.Loop;

/**
 * The thread on which a volume's work runs, one task after the other in the order of the calls, and
 * its clock. Thread-safe.
 */
interface VolumeLoop extends Executor {
  /** Whether the calling thread is this loop's. */
  boolean inLoop();

  /** Runs {@code task} once, after {@code delay}. */
  Loop.Timer schedule(Duration delay, Runnable task);

  /** Runs {@code task} again and again, {@code pause} after the end of the run before. */
  Loop.Timer scheduleEvery(Duration pause, Runnable task);

  /** The time in nanoseconds, which never goes back. */
  long nanoTime();

  /** A volume's share of this loop. */
  static VolumeLoop of(Loop loop) {
    return new Shared(loop);
  }

  /** A loop that other volumes and connections use, too. */
  record Shared(Loop loop) implements VolumeLoop {
    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }

    @Override
    public boolean inLoop() {
      return loop.inLoop();
    }

    @Override
    public Loop.Timer schedule(Duration delay, Runnable task) {
      return loop.schedule(delay, task);
    }

    @Override
    public Loop.Timer scheduleEvery(Duration pause, Runnable task) {
      return loop.scheduleEvery(pause, task);
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }
  }
}
