package org.salus.benchmarks.peers.hbase;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/**
 * Collects requests to batches, of which only so many may be outstanding. For one thread; futures
 * complete on any.
 *
 * @param <Q> a request
 * @param <A> its answer
 */
final class Batches<Q, A> {
  private final int size;
  private final Semaphore slots;
  private final Function<List<Q>, List<CompletableFuture<A>>> out;
  private List<Q> requests = new ArrayList<>();
  private List<CompletableFuture<A>> answers = new ArrayList<>();

  /**
   * @param size requests of a batch
   * @param slots one for each batch that may be outstanding
   * @param out sends a batch
   */
  Batches(int size, Semaphore slots, Function<List<Q>, List<CompletableFuture<A>>> out) {
    this.size = size;
    this.slots = slots;
    this.out = out;
  }

  /** Waits while the request fills a batch and too many are outstanding. */
  CompletableFuture<A> add(Q request) {
    CompletableFuture<A> answer = new CompletableFuture<>();
    requests.add(request);
    answers.add(answer);
    if (requests.size() == size) {
      send();
    }
    return answer;
  }

  /** Sends what there is, be it less than a batch. */
  void send() {
    if (requests.isEmpty()) {
      return;
    }
    List<CompletableFuture<A>> waiting = answers;
    slots.acquireUninterruptibly();
    List<CompletableFuture<A>> sent = out.apply(requests);
    requests = new ArrayList<>();
    answers = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      CompletableFuture<A> answer = waiting.get(i);
      sent.get(i)
          .whenComplete(
              (value, error) -> {
                if (error == null) {
                  answer.complete(value);
                } else {
                  answer.completeExceptionally(error);
                }
              });
    }
    CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
        .whenComplete((done, error) -> slots.release());
  }
}
