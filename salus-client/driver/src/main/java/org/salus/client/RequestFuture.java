package org.salus.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The future of a request, as the caller has it. The caller may complete it too, for example by a
 * cancel or a timeout. That ends the request for the caller: nothing is written into its buffer
 * after the future is done, nor while it runs what depends on the future. Thread-safe.
 */
final class RequestFuture extends CompletableFuture<Void> {
  private final Object lock = new Object();

  /** Whether the request has ended for the caller. The lock guards it. */
  private boolean ended;

  /** Runs {@code touch}, which touches the caller's buffer, unless the request has ended. */
  void whileOpen(Runnable touch) {
    synchronized (lock) {
      if (!ended) {
        touch.run();
      }
    }
  }

  /** Ends the request. Waits for what touches the buffer, which takes microseconds. */
  private void end() {
    synchronized (lock) {
      ended = true;
    }
  }

  @Override
  public boolean complete(Void value) {
    end();
    return super.complete(value);
  }

  @Override
  public boolean completeExceptionally(Throwable why) {
    end();
    return super.completeExceptionally(why);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    end();
    return super.cancel(mayInterruptIfRunning);
  }

  @Override
  public void obtrudeValue(Void value) {
    end();
    super.obtrudeValue(value);
  }

  @Override
  public void obtrudeException(Throwable why) {
    end();
    super.obtrudeException(why);
  }

  /** The inherited method would set the value without {@link #complete}. */
  @Override
  public CompletableFuture<Void> completeAsync(
      Supplier<? extends Void> supplier, Executor executor) {
    CompletableFuture.<Void>supplyAsync(supplier::get, executor)
        .whenComplete(
            (value, why) -> {
              if (why == null) {
                complete(value);
              } else {
                completeExceptionally(why);
              }
            });
    return this;
  }
}
