package org.salus.host.netty;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.salus.host.FaultHandler;
import org.salus.host.OncePerSecond;

/**
 * A fixed set of single-threaded event loops. They use epoll where it is available, else NIO. State
 * machines, timers and connections of one loop need no locks among each other. Thread-safe.
 */
public final class Loops implements AutoCloseable {
  private static final int STOP_SECONDS = 10;

  private final EventLoopGroup group;
  private final boolean epoll;
  private final List<Loop> loops = new ArrayList<>();
  private final FaultHandler faults;
  private final FrameStats stats = new FrameStats();
  private final OncePerSecond refusals = new OncePerSecond(System::nanoTime);
  private final ExecutorService resolver;

  /**
   * Starts {@code count} loops, at least 1, whose threads carry {@code name}. Exceptions of their
   * tasks go to {@code faults}.
   */
  public Loops(String name, int count, FaultHandler faults) {
    this(name, count, faults, Epoll.isAvailable());
  }

  Loops(String name, int count, FaultHandler faults, boolean epoll) {
    if (count < 1) {
      throw new IllegalArgumentException("at least one loop is needed, not " + count);
    }
    this.faults = faults;
    this.epoll = epoll;
    DefaultThreadFactory threads = new DefaultThreadFactory(name, true);
    this.group =
        epoll ? new EpollEventLoopGroup(count, threads) : new NioEventLoopGroup(count, threads);
    this.resolver =
        Executors.newCachedThreadPool(new DefaultThreadFactory(name + "-resolve", true));
    for (EventExecutor executor : group) {
      loops.add(
          new Loop(
              loops.size(),
              (EventLoop) executor,
              epoll ? EpollSocketChannel.class : NioSocketChannel.class,
              faults));
    }
  }

  /** The number of loops. */
  public int count() {
    return loops.size();
  }

  /** Loop {@code index}, 0 to {@code count() - 1}. */
  public Loop loop(int index) {
    return loops.get(index);
  }

  /** The counters of these loops' connections. */
  public FrameStats stats() {
    return stats;
  }

  /** Says which refused connections are logged. */
  OncePerSecond refusals() {
    return refusals;
  }

  /** Whether the loops run on epoll. */
  public boolean usesEpoll() {
    return epoll;
  }

  EventLoopGroup group() {
    return group;
  }

  FaultHandler faults() {
    return faults;
  }

  /** Runs look-ups of host names, which block. */
  Executor resolver() {
    return resolver;
  }

  Loop of(EventLoop eventLoop) {
    for (Loop loop : loops) {
      if (loop.eventLoop() == eventLoop) {
        return loop;
      }
    }
    throw new IllegalStateException("a channel of a foreign loop");
  }

  /**
   * Stops all loops and closes their connections. Waits for this up to 10 s, except when called on
   * a loop.
   */
  @Override
  public void close() {
    resolver.shutdownNow();
    group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
    if (loops.stream().noneMatch(Loop::inLoop)) {
      group.terminationFuture().awaitUninterruptibly(STOP_SECONDS, TimeUnit.SECONDS);
    }
  }
}
