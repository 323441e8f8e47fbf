package org.salus.host;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future that is done before its callbacks run. Who waits for it or looks at it needs no turn on
 * the executor of callbacks, which may be blocked. Only {@code state} of Java 19 says that it runs
 * until that turn, since Java 17 does not know it. Thread-safe.
 */
public abstract class SettledFuture<T> extends CompletableFuture<T> {
  /** Nothing of a user depends on it: what does runs on the thread that settles. */
  private final CompletableFuture<T> outcome = new CompletableFuture<>();

  /**
   * Where callbacks run. It must not refuse any, for a future that is never done would be worse.
   */
  protected abstract Executor callbacks();

  /** Whether the calling thread is the one that settles the future, so that it must not wait. */
  protected abstract boolean isOnLoop();

  /**
   * Ends it, and then completes what depends on it on the executor of callbacks. The caller must
   * hold no lock.
   *
   * @param why null when it succeeded
   */
  protected final void settle(T value, Throwable why) {
    boolean isFirst = why == null ? outcome.complete(value) : outcome.completeExceptionally(why);
    if (isFirst) {
      callbacks().execute(() -> tell(value, why));
    }
  }

  /** The same as {@link #settle}, for a future that nobody has yet. */
  protected final void settleHere(T value, Throwable why) {
    if (why == null) {
      outcome.complete(value);
    } else {
      outcome.completeExceptionally(why);
    }
    tell(value, why);
  }

  private void tell(T value, Throwable why) {
    if (why == null) {
      super.complete(value);
    } else {
      super.completeExceptionally(why);
    }
  }

  /**
   * Completes when the futures have ended, without a turn on an executor. What depends on it runs
   * on the thread that ends the last one, so it must be short and run nothing of a user.
   */
  public static CompletableFuture<Void> whenEnded(List<? extends CompletableFuture<?>> all) {
    return CompletableFuture.allOf(
        all.stream()
            .map(f -> f instanceof SettledFuture<?> s ? s.outcome : f)
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Whether the calling thread must not wait for a future, since it is the one that ends it. */
  public static boolean isOnLoop(CompletableFuture<?> future) {
    return future instanceof SettledFuture<?> s && !s.isDone() && s.isOnLoop();
  }

  /**
   * Checks that the calling thread may wait for a future.
   *
   * @throws IllegalStateException when it is the one that ends it
   */
  public static void requireMayWait(CompletableFuture<?> future) {
    if (isOnLoop(future)) {
      throw new IllegalStateException(
          "this thread answers the request, so it must not wait for it: give open another callback"
              + " executor");
    }
  }

  @Override
  public final T join() {
    requireMayWait(this);
    return outcome.join();
  }

  @Override
  public final T get() throws InterruptedException, ExecutionException {
    requireMayWait(this);
    return outcome.get();
  }

  @Override
  public final T get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    requireMayWait(this);
    return outcome.get(timeout, unit);
  }

  @Override
  public final T getNow(T valueIfAbsent) {
    return outcome.getNow(valueIfAbsent);
  }

  @Override
  public final boolean isDone() {
    return outcome.isDone();
  }

  @Override
  public final boolean isCancelled() {
    return outcome.isCancelled();
  }

  @Override
  public final boolean isCompletedExceptionally() {
    return outcome.isCompletedExceptionally();
  }

  // ---- methods of Java 19 ----

  /** The value of a future that has succeeded. */
  public final T resultNow() {
    if (!isDone() || isCompletedExceptionally()) {
      throw new IllegalStateException("it has not succeeded");
    }
    return outcome.join();
  }

  /** Why a future has failed. */
  public final Throwable exceptionNow() {
    if (!isCompletedExceptionally() || isCancelled()) {
      throw new IllegalStateException("it has not failed");
    }
    return outcome.handle((value, why) -> why).join();
  }
}
