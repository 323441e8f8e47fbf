package org.salus.client.loop;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

/** Makes the pool on which a client's callbacks run unless its user chooses another executor. */
public final class CallbackPool {
  /** Most callbacks that run at once. Those that wait for futures do not count. */
  private static final int THREADS = 16;

  private CallbackPool() {}

  /**
   * A pool of daemon threads, which end when idle. While one waits for a {@link
   * java.util.concurrent.CompletableFuture}, another one takes its place, so callbacks that wait
   * for each other do not hold each other up.
   */
  public static ExecutorService create() {
    return new ForkJoinPool(THREADS, CallbackPool::thread, null, true);
  }

  private static ForkJoinWorkerThread thread(ForkJoinPool pool) {
    ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
    thread.setName("salus-callback-" + thread.getPoolIndex());
    return thread;
  }
}
