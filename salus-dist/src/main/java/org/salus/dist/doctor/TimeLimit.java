package org.salus.dist.doctor;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.salus.host.DaemonThreads;

/** A limit for what has none of its own, such as the look-up of a name. */
public final class TimeLimit {
  private TimeLimit() {}

  /**
   * Runs something on a thread of its own. What it throws is thrown here.
   *
   * @throws TimeoutException if it has not ended in time; it may go on
   */
  public static <T> T within(Duration limit, Callable<T> task)
      throws IOException, TimeoutException {
    FutureTask<T> run = new FutureTask<>(task);
    DaemonThreads.start("salus-doctor-limit", run);
    try {
      return run.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IOException known) {
        throw known;
      } else if (failed.getCause() instanceof RuntimeException known) {
        throw known;
      }
      throw new IllegalStateException(failed.getCause());
    } catch (TimeoutException late) {
      run.cancel(true);
      throw late;
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }
}
