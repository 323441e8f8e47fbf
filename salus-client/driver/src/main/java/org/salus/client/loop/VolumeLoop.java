package org.salus.client.loop;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.salus.host.netty.Loop;

/**
 * The single thread of a volume, and its clock. Tasks run one after the other in the order of the
 * calls. Thread-safe.
 */
public interface VolumeLoop extends Executor {
  /** Whether the calling thread is this loop's. */
  boolean inLoop();

  /** Runs {@code task} once, after {@code delay}. */
  Loop.Timer schedule(Duration delay, Runnable task);

  /** Runs {@code task} repeatedly, each time {@code pause} after the end of the last run. */
  Loop.Timer scheduleEvery(Duration pause, Runnable task);

  /** The time in nanoseconds, which never goes back. */
  long nanoTime();

  /** A volume's view of {@code loop}. */
  static VolumeLoop of(Loop loop) {
    return new Shared(loop);
  }

  /** A loop that other volumes and connections share. */
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
