package org.salus.client;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.salus.host.SettledFuture;

/**
 * The future of a request, as the caller has it. Only the volume completes it. The caller may
 * cancel the request, or give up waiting with {@link #orTimeout}. Once the future is done, nothing
 * is written into the caller's buffer. What depends on it runs on the volume's callback executor.
 * Thread-safe.
 */
final class RequestFuture<T> extends SettledFuture<T> {
  private final BooleanSupplier changes;

  /** Nothing of the caller's runs under it, for the loop must never wait for that. */
  private final Object lock = new Object();

  /** Whether a session may have the request. The lock guards it. */
  private boolean begun;

  /** Whether the request has ended for the caller. The lock guards it. */
  private boolean ended;

  /** Whether it has ended by {@link #cancel}. The lock guards it. */
  private boolean cancelled;

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

  @Override
  protected Executor callbacks() {
    return callbacks;
  }

  @Override
  protected boolean isOnLoop() {
    return onLoop.getAsBoolean();
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
  void end(T value, Throwable why) {
    if (markEnded()) {
      settle(value, why);
    }
  }

  /**
   * Whether {@link #cancel} has ended it. Unlike {@link #isCancelled} this is so as soon as {@link
   * #begin} refuses it, when the future is settled a moment later.
   */
  boolean wasCancelled() {
    synchronized (lock) {
      return cancelled;
    }
  }

  /** Why it has failed; null if it has succeeded. To be called when it is done. */
  Throwable failure() {
    return isCancelled()
        ? new CancellationException()
        : isCompletedExceptionally() ? exceptionNow() : null;
  }

  /** The same as {@link #end}, for a future that the caller does not have yet. */
  void endHere(T value, Throwable why) {
    if (markEnded()) {
      settleHere(value, why);
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
        return cancelled;
      }
      ended = true;
      cancelled = true;
    }
    settle(null, new CancellationException());
    return true;
  }

  @Override
  public CompletableFuture<T> orTimeout(long timeout, TimeUnit unit) {
    CompletableFuture<Void> timer = new CompletableFuture<Void>().orTimeout(timeout, unit);
    timer.whenComplete(
        (done, late) -> {
          if (late != null) {
            end(null, late);
          }
        });
    whenComplete((done, failed) -> timer.complete(null));
    return this;
  }

  // ---- what only the volume may do ----

  private static UnsupportedOperationException onlyTheVolume() {
    return new UnsupportedOperationException(
        "only the volume completes a request; complete a copy() of its future");
  }

  @Override
  public boolean complete(T value) {
    throw onlyTheVolume();
  }

  @Override
  public boolean completeExceptionally(Throwable why) {
    throw onlyTheVolume();
  }

  @Override
  public void obtrudeValue(T value) {
    throw onlyTheVolume();
  }

  @Override
  public void obtrudeException(Throwable why) {
    throw onlyTheVolume();
  }

  @Override
  public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
    throw onlyTheVolume();
  }

  @Override
  public CompletableFuture<T> completeOnTimeout(T value, long timeout, TimeUnit unit) {
    throw onlyTheVolume();
  }
}
