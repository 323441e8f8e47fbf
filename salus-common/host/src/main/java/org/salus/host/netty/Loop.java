package org.salus.host.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.salus.host.FaultHandler;

/**
 * A single-threaded event loop. Tasks run one after the other. Tasks from one thread keep their
 * order. A task's exception goes to the fault handler. Thread-safe.
 */
public final class Loop implements Executor {
  /** A scheduled task that can be cancelled. */
  @FunctionalInterface
  public interface Timer {
    /**
     * Cancels the task. Has no effect while it runs. When called on the task's own loop, the task
     * does not run afterwards.
     */
    void cancel();
  }

  private final int index;
  private final EventLoop eventLoop;
  private final Class<? extends SocketChannel> channels;
  private final FaultHandler faults;

  Loop(
      int index,
      EventLoop eventLoop,
      Class<? extends SocketChannel> channels,
      FaultHandler faults) {
    this.index = index;
    this.eventLoop = eventLoop;
    this.channels = channels;
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
   * Runs {@code task} on this loop later, even when called on the loop.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the loop has been stopped
   */
  @Override
  public void execute(Runnable task) {
    eventLoop.execute(() -> guarded(task));
  }

  /** Runs {@code task} on this loop once, after {@code delay}. */
  public Timer schedule(Duration delay, Runnable task) {
    Future<?> future =
        eventLoop.schedule(() -> guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /**
   * Runs {@code task} on this loop repeatedly, each time {@code pause} after the end of the last
   * run.
   */
  public Timer scheduleEvery(Duration pause, Runnable task) {
    Future<?> future =
        eventLoop.scheduleWithFixedDelay(
            () -> guarded(task), pause.toNanos(), pause.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Starts to connect to a resolved address; the handler is called on this loop. */
  public ChannelFuture connect(
      InetSocketAddress address, Duration timeout, ChannelHandler handler) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(eventLoop)
            .channel(channels)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) timeout.toMillis())
            .handler(handler);
    ChannelSettings.CONNECTION.forEach((option, value) -> set(bootstrap, option, value));
    return bootstrap.connect(address);
  }

  @SuppressWarnings("unchecked")
  private static <T> void set(Bootstrap bootstrap, ChannelOption<T> option, Object value) {
    bootstrap.option(option, (T) value);
  }

  /** About how many tasks wait for this loop. */
  public int waitingTasks() {
    return eventLoop instanceof SingleThreadEventExecutor single ? single.pendingTasks() : 0;
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
