package org.salus.client.loop;

import java.time.Duration;
import org.salus.host.FaultHandler;
import org.salus.host.netty.Loop;

/**
 * A volume's view of a loop that others share. What its tasks throw goes to the volume's fault
 * handler, so that it harms nobody else. Thread-safe.
 */
public record GuardedLoop(VolumeLoop loop, FaultHandler faults) implements VolumeLoop {
  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable bug) {
        faults.onFault("running a task on its loop", bug);
      }
    };
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(guarded(task));
  }

  @Override
  public boolean inLoop() {
    return loop.inLoop();
  }

  @Override
  public Loop.Timer schedule(Duration delay, Runnable task) {
    return loop.schedule(delay, guarded(task));
  }

  @Override
  public Loop.Timer scheduleEvery(Duration pause, Runnable task) {
    return loop.scheduleEvery(pause, guarded(task));
  }

  @Override
  public long nanoTime() {
    return loop.nanoTime();
  }
}
