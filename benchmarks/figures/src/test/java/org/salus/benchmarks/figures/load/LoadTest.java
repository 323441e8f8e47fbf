package org.salus.benchmarks.figures.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.salus.benchmarks.figures.load.Load.Access;
import org.salus.benchmarks.peers.Pauses;

class LoadTest {
  private static final int BLOCKS = 50;
  private static final long TENTH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final MemoryBlocks memory = new MemoryBlocks();
  private final Contents contents = new Contents(1);
  private final CheckedStore store = new CheckedStore(memory, contents, BLOCKS);

  private List<String> asked(String what) {
    return memory.asked.stream().filter(a -> a.startsWith(what)).toList();
  }

  @Test
  void everyBlockIsWrittenAndReadOnceAlsoWhenShuffled() throws IOException {
    assertThat(Load.everyBlock(store, Access.WRITE, Load.inOrder())).isPositive();
    assertThat(Load.everyBlock(store, Access.READ, Load.shuffled(BLOCKS, 5))).isPositive();
    assertThat(asked("write"))
        .isEqualTo(IntStream.range(0, BLOCKS).mapToObj(i -> "write " + i).toList());
    assertThat(asked("read"))
        .hasSize(BLOCKS)
        .doesNotHaveDuplicates()
        .isNotEqualTo(IntStream.range(0, BLOCKS).mapToObj(i -> "read " + i).toList());
  }

  @Test
  void aShuffleIsTheSameForTheSameSeed() {
    IntUnaryOperator one = Load.shuffled(BLOCKS, 5);
    IntUnaryOperator same = Load.shuffled(BLOCKS, 5);
    assertThat(IntStream.range(0, BLOCKS).map(one).toArray())
        .isEqualTo(IntStream.range(0, BLOCKS).map(same).toArray());
  }

  @Test
  void aBlockThatReadsWrongFailsTheRun() throws IOException {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.blocks.put(9L, contents.of(8, 1));
    assertThatThrownBy(() -> Load.everyBlock(store, Access.READ, Load.inOrder()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("memory: block 9 ");
    assertThatThrownBy(() -> Load.oneByOne(store, Access.READ, 10 * BLOCKS, 1, 3))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("memory: block 9 ");
  }

  @Test
  void aLostWriteIsFound() throws IOException {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    byte[] before = memory.blocks.get(4L);
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.blocks.put(4L, before);
    assertThatThrownBy(() -> Load.everyBlock(store, Access.READ, Load.inOrder()))
        .hasMessageContaining("block 4 ")
        .hasMessageContaining("the one before");
  }

  @Test
  void aWriteThatFailsFailsTheRun() {
    memory.fail(3);
    assertThatThrownBy(() -> Load.everyBlock(store, Access.WRITE, Load.inOrder()))
        .isInstanceOf(IOException.class)
        .hasMessage("memory: no block 3");
    assertThatThrownBy(() -> Load.withBarriers(store, 4, Long.MAX_VALUE))
        .isInstanceOf(IOException.class)
        .hasMessage("memory: no block 3");
  }

  @Test
  void whatWasNotWrittenIsNotRead() {
    assertThatIllegalStateException()
        .isThrownBy(() -> store.read(0))
        .withMessageContaining("block 0");
  }

  @Test
  void aBarrierFollowsEachGroupOfWrites() throws IOException {
    assertThat(Load.withBarriers(store, 4, 1_000_000)).isPositive();
    assertThat(memory.asked.size() % 5).isZero();
    assertThat(memory.asked.subList(0, 5))
        .containsExactly("write 0", "write 1", "write 2", "write 3", "barrier");
    assertThat(asked("write")).hasSize(asked("barrier").size() * 4);
  }

  @Test
  void oneByOneYieldsATimeForEachRequest() throws IOException {
    assertThat(Load.oneByOne(store, Access.WRITE, 20, 1, 3)).hasSize(20).doesNotContain(0);
    assertThat(memory.asked).hasSize(20);
  }

  @Test
  void aMixedLoadHasBothKindsAndItsEventOnce() throws IOException {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.hold(false);
    memory.asked.clear();
    List<String> events = new ArrayList<>();
    Load.Mixed found =
        Load.mixed(store, 0.5, 4, TimeUnit.MILLISECONDS.toNanos(50), 3, () -> events.add("event"));
    assertThat(found.perSecond()).isPositive();
    assertThat(found.longestNanos()).isPositive();
    assertThat(events).containsExactly("event");
    assertThat(asked("read").size())
        .isBetween(memory.asked.size() / 4, memory.asked.size() * 3 / 4);
    assertThat(asked("read").size() + asked("write").size()).isEqualTo(memory.asked.size());
  }

  /** A load of a tenth of a second on another thread. */
  private CompletableFuture<Void> mixed(int outstanding, Load.Event halfway) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            Load.mixed(store, 0.5, outstanding, TENTH_NANOS, 3, halfway);
          } catch (IOException failed) {
            throw new UncheckedIOException(failed);
          }
        });
  }

  @Test
  void theEventOfAMixedLoadHappensAlsoWhenTheStoreAnswersNothingUntilTheEnd() throws Exception {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    List<String> events = new CopyOnWriteArrayList<>();
    long begin = System.nanoTime();
    CompletableFuture<Void> load = mixed(1, () -> events.add("event"));
    while (System.nanoTime() - begin < 2 * TENTH_NANOS) {
      Pauses.pause(TENTH_NANOS);
    }
    memory.hold(false);
    memory.send();
    load.get(1, TimeUnit.MINUTES);
    assertThat(events).containsExactly("event");
  }

  @Test
  void noBlockOfAMixedLoadIsAskedForTwiceAtOnceAndNoMoreAreThanMayBe() throws Exception {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.asked.clear();
    int most = 10;
    CompletableFuture<Void> load = mixed(most, () -> {});
    boolean full = false;
    while (!load.isDone()) {
      synchronized (memory) {
        List<String> blocks = memory.asked.stream().map(a -> a.substring(a.indexOf(' '))).toList();
        assertThat(blocks).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(most);
        full |= blocks.size() == most;
        if (full) {
          memory.asked.clear();
          memory.send();
        }
      }
      LockSupport.parkNanos(1000); // or the load's thread never gets the lock
    }
    load.get(1, TimeUnit.MINUTES);
    assertThat(full).as("as many as may be").isTrue();
  }

  @Test
  void readsAndWritesTogetherDoNotWaitForEachOther() throws Exception {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.asked.clear();
    CompletableFuture<Map<Access, Double>> load =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Load.together(store, 3, 2, TENTH_NANOS, 3);
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            });
    boolean full = false;
    while (!load.isDone()) {
      synchronized (memory) {
        assertThat(memory.asked.stream().map(a -> a.substring(a.indexOf(' '))))
            .doesNotHaveDuplicates();
        assertThat(asked("read")).hasSizeLessThanOrEqualTo(3);
        assertThat(asked("write")).hasSizeLessThanOrEqualTo(2);
        full |= memory.asked.size() == 5;
        if (full) {
          memory.asked.clear();
          memory.send();
        }
      }
      LockSupport.parkNanos(1000); // or the load's thread never gets the lock
    }
    assertThat(load.get(1, TimeUnit.MINUTES).values()).hasSize(2).allMatch(speed -> speed > 0);
    assertThat(full).as("as many of each as may be").isTrue();
  }

  @Test
  void onlyWhatIsDoneHasASpeed() throws IOException {
    memory.hold(false);
    assertThat(Load.together(store, 0, 2, TENTH_NANOS, 3)).containsOnlyKeys(Access.WRITE);
  }

  @Test
  void aWrongBlockFailsAMixedLoad() throws IOException {
    Load.everyBlock(store, Access.WRITE, Load.inOrder());
    memory.hold(false);
    memory.blocks.put(9L, contents.of(8, 1));
    assertThatThrownBy(() -> Load.mixed(store, 1, 4, TimeUnit.MINUTES.toNanos(1), 3, () -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("memory: block 9 ");
  }

  @Test
  void percentilesAreOfValuesThatWereMeasured() {
    long[] values = {50, 10, 40, 20, 30};
    assertThat(Percentile.of(values, 50)).isEqualTo(30);
    assertThat(Percentile.of(values, 90)).isEqualTo(50);
    assertThat(Percentile.of(values, 20)).isEqualTo(10);
    assertThat(Percentile.of(values, 100)).isEqualTo(50);
    assertThat(Percentile.of(new long[] {7}, 1)).isEqualTo(7);
  }

  @Test
  void clientsWorkAtOnceAndOneThatFailsFailsTheRun() throws IOException {
    MemoryBlocks other = new MemoryBlocks();
    try (Clients clients = new Clients(List.of(store, new CheckedStore(other, contents, BLOCKS)))) {
      CyclicBarrier both = new CyclicBarrier(2);
      clients.atOnce(
          2,
          s -> {
            await(both);
            Load.everyBlock(s, Access.WRITE, Load.inOrder());
          });
      assertThat(memory.blocks.keySet()).hasSize(BLOCKS).isEqualTo(other.blocks.keySet());
      other.fail(3);
      clients.atOnce(1, s -> Load.everyBlock(s, Access.WRITE, Load.inOrder()));
      assertThatThrownBy(
              () -> clients.atOnce(2, s -> Load.everyBlock(s, Access.WRITE, Load.inOrder())))
          .isInstanceOf(IOException.class)
          .hasMessage("memory: no block 3");
    }
  }

  private static void await(CyclicBarrier barrier) throws IOException {
    try {
      barrier.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException alone) {
      throw new IOException(alone);
    }
  }
}
