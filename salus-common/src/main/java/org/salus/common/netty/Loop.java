package org.salus.common.netty;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.salus.common.FaultHandler;

/**
 * One single-threaded event loop. Tasks run one after the other, in the order in which one thread gave them; a task
 * that throws goes to the fault handler. Thread-safe.
 */
public final class Loop implements Executor {
  /** A scheduled task that can be called off. */
  @FunctionalInterface
  public interface Timer {
    /** Calls the task off; without effect once it runs. On the task's own loop it surely does not run after this. */
    void cancel();
  }

  private final int index;
  private final EventLoop eventLoop;
  private final FaultHandler faults;

  Loop(int index, EventLoop eventLoop, FaultHandler faults) {
    this.index = index;
    this.eventLoop = eventLoop;
    this.faults = faults;
  }

  /** This loop's place in its {@link Loops}. */
  public int index() {
    return index;
  }

  /** Whether the calling thread is this loop's. */
  public boolean inLoop() {
    return eventLoop.inEventLoop();
  }

  /**
   * Runs {@code task} on this loop, later even when called on it.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the loop has been stopped
   */
  @Override
  public void execute(Runnable task) {
    eventLoop.execute(() -> guarded(task));
  }

  /** Runs {@code task} on this loop once, after {@code delay}. */
  public Timer schedule(Duration delay, Runnable task) {
    Future<?> future = eventLoop.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Runs {@code task} on this loop again and again, {@code pause} after the end of the run before. */
  public Timer scheduleEvery(Duration pause, Runnable task) {
    Future<?> future = eventLoop.scheduleWithFixedDelay(
        () -> guarded(task), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  void guarded(Runnable task) {
    try {
      task.run();
    } catch (Throwable bug) {
      faults.onFault("running a task on loop " + index, bug);
    }
  }
}
