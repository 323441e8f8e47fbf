package org.salus.benchmarks.faults.history;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures. */
final class FutureWait {
  private FutureWait() {}

  /** Waits until all futures have ended, well or not. Returns whether they did in time. */
  static boolean all(Collection<? extends CompletableFuture<?>> futures, Duration patience)
      throws InterruptedException {
    try {
      CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
          .get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException some) {
      return true;
    } catch (TimeoutException late) {
      return false;
    }
  }
}
