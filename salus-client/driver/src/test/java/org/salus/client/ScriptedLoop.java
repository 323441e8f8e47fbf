package org.salus.client;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.salus.client.loop.VolumeLoop;
import org.salus.host.netty.Loop;

/** A loop without a thread: its tasks run, and its clock goes on, only when a test says so. */
final class ScriptedLoop implements VolumeLoop {
  private static final class Timed {
    final long at;
    final long order;
    final Runnable task;
    boolean cancelled;

    Timed(long at, long order, Runnable task) {
      this.at = at;
      this.order = order;
      this.task = task;
    }
  }

  private final Queue<Runnable> ready = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timed> timers =
      new PriorityQueue<>(
          Comparator.comparingLong((Timed t) -> t.at).thenComparingLong(t -> t.order));
  private long now;
  private long order;

  @Override
  public void execute(Runnable task) {
    ready.add(task);
  }

  /** Whether calls come from another thread than the loop's; counts while there is no owner. */
  boolean isForeign;

  /** The thread that runs the tasks; null if it is the one that calls. */
  volatile Thread owner;

  @Override
  public boolean inLoop() {
    return owner == null ? !isForeign : Thread.currentThread() == owner;
  }

  @Override
  public Loop.Timer schedule(Duration delay, Runnable task) {
    Timed timed = new Timed(now + delay.toNanos(), order++, task);
    timers.add(timed);
    return () -> timed.cancelled = true;
  }

  @Override
  public Loop.Timer scheduleEvery(Duration pause, Runnable task) {
    boolean[] cancelled = new boolean[1];
    schedule(
        pause,
        new Runnable() {
          @Override
          public void run() {
            if (!cancelled[0]) {
              task.run();
              schedule(pause, this);
            }
          }
        });
    return () -> cancelled[0] = true;
  }

  @Override
  public long nanoTime() {
    return now;
  }

  /** Runs what can be run now. */
  void settle() {
    for (Runnable next = ready.poll(); next != null; next = ready.poll()) {
      next.run();
    }
  }

  /** Lets time pass, and runs what is due in it. */
  void advance(Duration time) {
    long end = now + time.toNanos();
    settle();
    while (!timers.isEmpty() && timers.peek().at <= end) {
      Timed next = timers.poll();
      now = next.at;
      if (!next.cancelled) {
        next.task.run();
      }
      settle();
    }
    now = end;
  }
}
