package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Counts outstanding requests. Thread-safe. */
public final class Requests {
  private long outstanding;
  private Throwable failed;

  public void add(CompletableFuture<?> request) {
    synchronized (this) {
      outstanding++;
    }
    request.whenComplete((done, error) -> ended(error));
  }

  private synchronized void ended(Throwable error) {
    if (failed == null && error != null) {
      failed =
          error instanceof CompletionException && error.getCause() != null
              ? error.getCause()
              : error;
    }
    outstanding--;
    notifyAll();
  }

  synchronized boolean hasFailed() {
    return failed != null;
  }

  /**
   * Waits until no request is outstanding.
   *
   * @param store for the message
   * @throws IOException if one has failed
   */
  public synchronized void await(String store) throws IOException {
    try {
      while (outstanding > 0) {
        wait();
      }
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
    if (failed != null) {
      throw new IOException(store + ": " + failed.getMessage(), failed);
    }
  }
}
