package org.salus.dist.bench.figures;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.salus.dist.bench.Pauses;

/** Requests of one client, and how fast they were. For one thread. */
final class Load {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private Load() {}

  /** What is done to a block. */
  enum Operation {
    READ, WRITE
  }

  /** Which block comes at which turn; each comes once in as many turns as there are blocks. */
  static IntUnaryOperator inOrder() {
    return turn -> turn;
  }

  /** As {@link #inOrder}, in no order: no block is written twice at once, to which HBase would give no order. */
  static IntUnaryOperator shuffled(int blocks, long seed) {
    Random random = new Random(seed);
    int[] order = new int[blocks];
    for (int i = 0; i < blocks; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
    return turn -> order[turn];
  }

  /**
   * Every block once, as fast as the store takes them.
   *
   * @return 10^6 bytes a second, until the last request is answered
   */
  static double everyBlock(CheckedStore store, Operation operation, IntUnaryOperator order) throws IOException {
    Requests requests = new Requests();
    long begin = System.nanoTime();
    for (int turn = 0; turn < store.blocks() && !requests.hasFailed(); turn++) {
      int block = order.applyAsInt(turn);
      requests.add(operation == Operation.READ ? store.read(block) : store.write(block));
    }
    store.store().send();
    requests.await(store.name());
    return megabytes(store.blocks(), System.nanoTime() - begin);
  }

  /**
   * Writes block after block, again and again, with barriers.
   *
   * @param every so many writes there is one
   * @param nanos for how long; then what is outstanding is waited for
   * @return 10^6 bytes a second, until the last barrier is settled
   */
  static double withBarriers(CheckedStore store, int every, long nanos) throws IOException {
    Requests requests = new Requests();
    long begin = System.nanoTime();
    long writes = 0;
    while (System.nanoTime() - begin < nanos && !requests.hasFailed()) {
      for (int i = 0; i < every; i++) {
        requests.add(store.write((int) (writes++ % store.blocks())));
      }
      requests.add(store.store().barrier());
    }
    requests.await(store.name());
    return megabytes(writes, System.nanoTime() - begin);
  }

  private static double megabytes(long blocks, long nanos) {
    return blocks * BlockStoreUnderTest.BLOCK / 1e6 / (nanos / NANOS);
  }

  /**
   * One request at a time, at random, with a pause after each.
   *
   * @return how long each took, nanoseconds
   */
  static long[] oneByOne(CheckedStore store, Operation operation, int count, long pauseNanos, long seed) throws IOException {
    Random random = new Random(seed);
    long[] took = new long[count];
    for (int i = 0; i < count; i++) {
      int block = random.nextInt(store.blocks());
      Requests request = new Requests();
      long begin = System.nanoTime();
      request.add(operation == Operation.READ ? store.read(block) : store.write(block));
      store.store().send();
      request.await(store.name());
      took[i] = System.nanoTime() - begin;
      Pauses.pause(pauseNanos);
    }
    return took;
  }
}
