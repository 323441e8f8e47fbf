package org.salus.benchmarks.peers.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class BatchesTest {
  private final List<List<Integer>> sent = new ArrayList<>();
  private final List<CompletableFuture<String>> answers = new ArrayList<>();
  private final Semaphore slots = new Semaphore(2);
  private final Batches<Integer, String> batches = new Batches<>(3, slots, this::send);

  private List<CompletableFuture<String>> send(List<Integer> batch) {
    sent.add(batch);
    List<CompletableFuture<String>> own =
        batch.stream().map(q -> new CompletableFuture<String>()).toList();
    answers.addAll(own);
    return own;
  }

  @Test
  void aBatchIsSentWhenItIsFullOrAskedFor() {
    for (int i = 0; i < 4; i++) {
      batches.add(i);
    }
    assertThat(sent).containsExactly(List.of(0, 1, 2));
    batches.send();
    batches.send();
    assertThat(sent).containsExactly(List.of(0, 1, 2), List.of(3));
  }

  @Test
  void aSlotIsFreeWhenTheWholeBatchIsAnswered() {
    CompletableFuture<String> first = batches.add(0);
    batches.add(1);
    batches.add(2);
    assertThat(slots.availablePermits()).isEqualTo(1);
    answers.get(0).complete("a");
    answers.get(1).complete("b");
    assertThat(first).isCompletedWithValue("a");
    assertThat(slots.availablePermits()).isEqualTo(1);
    answers.get(2).complete("c");
    assertThat(slots.availablePermits()).isEqualTo(2);
  }

  @Test
  void aFailureIsThatOfItsRequestAndFreesTheSlotToo() {
    CompletableFuture<String> good = batches.add(0);
    CompletableFuture<String> bad = batches.add(1);
    batches.send();
    answers.get(1).completeExceptionally(new IOException("refused"));
    answers.get(0).complete("a");
    assertThat(good).isCompletedWithValue("a");
    assertThatThrownBy(bad::join).hasRootCauseMessage("refused");
    assertThat(slots.availablePermits()).isEqualTo(2);
  }
}
