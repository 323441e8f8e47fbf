package org.salus.dist.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.salus.host.DaemonThreads;

/** Works on several volumes at a time, so that none waits long for what others wait for. */
final class AtOnce {
  private static final int MOST = 8;

  private AtOnce() {}

  /**
   * Runs all tasks. One that fails does not keep the others from running.
   *
   * @param printed takes what the tasks return, in their order; null, too
   * @param err where failures are told
   * @return the exit code
   */
  static int run(List<Callable<String>> tasks, Consumer<String> printed, PrintWriter err)
      throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(MOST, DaemonThreads.named("salus-volume"));
    try {
      List<Future<String>> futures = new ArrayList<>();
      tasks.forEach(t -> futures.add(pool.submit(t)));
      int code = 0;
      for (Future<String> f : futures) {
        try {
          printed.accept(f.get());
        } catch (ExecutionException failed) {
          Throwable why = failed.getCause();
          Salus.say(err, why.getMessage() == null ? why.toString() : why.getMessage());
          code = Salus.FAILED;
        }
      }
      return code;
    } finally {
      pool.shutdownNow();
    }
  }
}
