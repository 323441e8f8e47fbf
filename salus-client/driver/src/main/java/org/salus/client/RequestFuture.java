package org.salus.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The future of a request, as the caller has it. Only the volume completes it. The caller may
 * cancel the request, or give up waiting with {@link #orTimeout}. Once the future is done, nothing
 * is written into the caller's buffer. What depends on it runs on the volume's callback executor.
 * Thread-safe.
 */
final class RequestFuture extends CompletableFuture<Void> {
  private final BooleanSupplier changes;
  private final Object lock = new Object();

  /** Whether a session may have the request. The lock guards it. */
  private boolean begun;

  /** Whether the request has ended for the caller. The lock guards it. */
  private boolean ended;

  /** For threads that wait: they need no turn on the callback executor, which may be blocked. */
  private final CompletableFuture<Void> outcome = new CompletableFuture<>();

  private Executor callbacks = Runnable::run;
  private BooleanSupplier onLoop = () -> false;

  /**
   * @param changes whether the request changes the volume, so that it cannot be cancelled once it
   *     has begun
   */
  RequestFuture(BooleanSupplier changes) {
    this.changes = changes;
  }

  /**
   * Sets where callbacks run. To be called before the caller has the future.
   *
   * @param inLoop whether the calling thread is the one that answers the request
   */
  void runCallbacksOn(Executor executor, BooleanSupplier inLoop) {
    callbacks = executor;
    onLoop = inLoop;
  }

  /** Runs {@code touch}, which touches the caller's buffer, unless the request has ended. */
  void whileOpen(Runnable touch) {
    synchronized (lock) {
      if (!ended) {
        touch.run();
      }
    }
  }

  /** Notes that a session gets the request now. Returns false when it has ended before. */
  boolean begin() {
    synchronized (lock) {
      begun = !ended;
      return begun;
    }
  }

  /**
   * Ends the request, and completes this future on the callback executor.
   *
   * @param why null when it succeeded
   */
  void end(Throwable why) {
    if (!markEnded()) {
      return;
    }
    settle(outcome::complete, outcome::completeExceptionally, why);
    call(why);
  }

  private void call(Throwable why) {
    try {
      callbacks.execute(() -> settle(why));
    } catch (RuntimeException | OutOfMemoryError refused) {
      settle(why); // a future that is never done would be worse
    }
  }

  /** The same as {@link #end}, on a thread on which callbacks may run. */
  void endHere(Throwable why) {
    if (markEnded()) {
      settle(outcome::complete, outcome::completeExceptionally, why);
      settle(why);
    }
  }

  private void settle(Throwable why) {
    settle(super::complete, super::completeExceptionally, why);
  }

  private static void settle(Consumer<Void> complete, Consumer<Throwable> fail, Throwable why) {
    if (why == null) {
      complete.accept(null);
    } else {
      fail.accept(why);
    }
  }

  /** Waits for what touches the buffer, which takes microseconds. Returns whether it is the end. */
  private boolean markEnded() {
    synchronized (lock) {
      boolean first = !ended;
      ended = true;
      return first;
    }
  }

  /**
   * Cancels the request. A change is cancelled only if no session has it: then it never takes
   * effect. Otherwise this returns false, and the future ends when the request does.
   */
  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    synchronized (lock) {
      if (ended || begun && changes.getAsBoolean()) {
        return isCancelled();
      }
      ended = true;
      outcome.cancel(mayInterruptIfRunning);
      return super.cancel(mayInterruptIfRunning);
    }
  }

  @Override
  public CompletableFuture<Void> orTimeout(long timeout, TimeUnit unit) {
    CompletableFuture<Void> timer = new CompletableFuture<Void>().orTimeout(timeout, unit);
    timer.whenComplete(
        (done, late) -> {
          if (late != null && markEnded()) {
            outcome.completeExceptionally(late);
            call(late);
          }
        });
    whenComplete((done, failed) -> timer.complete(null));
    return this;
  }

  @Override
  public Void join() {
    requireNotOnLoop();
    return outcome.join();
  }

  @Override
  public Void get() throws InterruptedException, ExecutionException {
    requireNotOnLoop();
    return outcome.get();
  }

  @Override
  public Void get(long timeout, TimeUnit unit)
      throws InterruptedException, ExecutionException, TimeoutException {
    requireNotOnLoop();
    return outcome.get(timeout, unit);
  }

  @Override
  public boolean isDone() {
    return outcome.isDone();
  }

  private void requireNotOnLoop() {
    if (!isDone() && onLoop.getAsBoolean()) {
      throw new IllegalStateException(
          "this thread answers the request, so it must not wait for it: give open another callback"
              + " executor");
    }
  }

  // ---- what only the volume may do ----

  private static UnsupportedOperationException onlyTheVolume() {
    return new UnsupportedOperationException(
        "only the volume completes a request; complete a copy() of its future");
  }

  @Override
  public boolean complete(Void value) {
    throw onlyTheVolume();
  }

  @Override
  public boolean completeExceptionally(Throwable why) {
    throw onlyTheVolume();
  }

  @Override
  public void obtrudeValue(Void value) {
    throw onlyTheVolume();
  }

  @Override
  public void obtrudeException(Throwable why) {
    throw onlyTheVolume();
  }

  @Override
  public CompletableFuture<Void> completeAsync(
      Supplier<? extends Void> supplier, Executor executor) {
    throw onlyTheVolume();
  }

  @Override
  public CompletableFuture<Void> completeOnTimeout(Void value, long timeout, TimeUnit unit) {
    throw onlyTheVolume();
  }
}
