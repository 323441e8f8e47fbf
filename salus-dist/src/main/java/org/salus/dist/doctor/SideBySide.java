package org.salus.dist.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.salus.host.DaemonThreads;

/** Asks many daemons at the same time. What it runs may not use it again. Thread-safe. */
final class SideBySide implements AutoCloseable {
  private static final int MOST = 64;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(MOST, DaemonThreads.named("salus-doctor-ask"));

  /** The answers, in the order of the questions. */
  <A, B> List<B> ask(Collection<A> questions, Function<A, B> answer) throws IOException {
    List<Future<B>> asked = new ArrayList<>();
    questions.forEach(q -> asked.add(threads.submit(() -> answer.apply(q))));
    List<B> answers = new ArrayList<>();
    for (Future<B> a : asked) {
      try {
        answers.add(a.get());
      } catch (ExecutionException bug) {
        throw new IllegalStateException(bug.getCause());
      } catch (InterruptedException cut) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", cut);
      }
    }
    return answers;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
