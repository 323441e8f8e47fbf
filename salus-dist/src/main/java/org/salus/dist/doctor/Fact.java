package org.salus.dist.doctor;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Something about a cluster that is found out once, by whoever wants to know it first. The others
 * wait. Thread-safe.
 */
final class Fact<T> {
  private final FutureTask<T> task;

  Fact(Callable<T> ask) {
    task = new FutureTask<>(ask);
  }

  /**
   * What is so.
   *
   * @throws IOException if it could not be found out; each time with the same message
   */
  T get() throws IOException {
    task.run(); // does nothing if it has been run
    try {
      return task.get();
    } catch (ExecutionException failed) {
      Throwable why = failed.getCause();
      throw new IOException(why.getMessage() == null ? why.toString() : why.getMessage(), why);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }
}
