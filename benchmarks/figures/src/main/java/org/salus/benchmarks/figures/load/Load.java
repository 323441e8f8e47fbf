package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.IntUnaryOperator;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.Pauses;

/** Requests of one client, and how fast they were. For one thread. */
public final class Load {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  private Load() {}

  /** What is done to a block. */
  public enum Access {
    READ,
    WRITE
  }

  /** The block of each turn. Each block comes once in as many turns as there are blocks. */
  public static IntUnaryOperator inOrder() {
    return turn -> turn;
  }

  /**
   * Like {@link #inOrder}, in a random order. No block is written twice at once, for HBase gives
   * such writes no order.
   */
  public static IntUnaryOperator shuffled(int blocks, long seed) {
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
   * Reads or writes every block once, as fast as the store takes them.
   *
   * @return 10^6 bytes a second, until the last request is answered
   */
  public static double everyBlock(CheckedStore store, Access operation, IntUnaryOperator order)
      throws IOException {
    Requests requests = new Requests();
    long begin = System.nanoTime();
    for (int turn = 0; turn < store.blocks() && !requests.hasFailed(); turn++) {
      int block = order.applyAsInt(turn);
      requests.add(operation == Access.READ ? store.read(block) : store.write(block));
    }
    store.store().send();
    requests.await(store.name());
    return megabytes(store.blocks(), System.nanoTime() - begin);
  }

  /**
   * Writes block after block, again and again, with barriers.
   *
   * @param every writes before each barrier
   * @param nanos how long to write; then outstanding requests are waited for
   * @return 10^6 bytes a second, until the last barrier is done
   */
  public static double withBarriers(CheckedStore store, int every, long nanos) throws IOException {
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
   * What a mixed load measured.
   *
   * @param perSecond requests that were answered
   * @param longestNanos that one of them took
   */
  public record Mixed(double perSecond, long longestNanos) {}

  /** Something that is done while there is load. */
  public interface Event {
    void happens() throws IOException;
  }

  /**
   * Reads and writes at random, as fast as the store takes them. No block has two requests at once,
   * for these have no order.
   *
   * @param reads how many of all requests are reads, 0 to 1
   * @param outstanding most requests; far fewer than blocks
   * @param nanos for how long; then what is outstanding is waited for
   * @param halfway done by this thread after half of that
   */
  public static Mixed mixed(
      CheckedStore store, double reads, int outstanding, long nanos, long seed, Event halfway)
      throws IOException {
    Random random = new Random(seed);
    Requests requests = new Requests();
    Semaphore slots = new Semaphore(outstanding);
    Set<Integer> busy = ConcurrentHashMap.newKeySet();
    LongAccumulator longest = new LongAccumulator(Math::max, 0);
    long begin = System.nanoTime();
    long count = 0;
    boolean happened = false;
    while (System.nanoTime() - begin < nanos && !requests.hasFailed()) {
      if (!happened && System.nanoTime() - begin > nanos / 2) {
        halfway.happens();
        happened = true;
      }
      int block = random.nextInt(store.blocks());
      if (!busy.add(block)) {
        continue;
      }
      slots.acquireUninterruptibly();
      long sent = System.nanoTime();
      CompletableFuture<Void> request =
          random.nextDouble() < reads ? store.read(block) : store.write(block);
      requests.add(
          request.whenComplete(
              (done, error) -> {
                longest.accumulate(System.nanoTime() - sent);
                busy.remove(block);
                slots.release();
              }));
      count++;
    }
    if (!happened) {
      halfway.happens(); // the store took no request in the second half
    }
    requests.await(store.name());
    return new Mixed(count / ((System.nanoTime() - begin) / NANOS), longest.get());
  }

  /**
   * Reads and writes at random, each as fast as the store takes it beside the other. No block has
   * two requests at once, as with {@link #mixed}.
   *
   * @param reads most outstanding, likewise {@code writes}; together far fewer than blocks
   * @param nanos for how long; then what is outstanding is waited for
   * @return 10^6 bytes a second of reads and of writes, as far as there were any
   */
  public static Map<Access, Double> together(
      CheckedStore store, int reads, int writes, long nanos, long seed) throws IOException {
    Random random = new Random(seed);
    Requests requests = new Requests();
    BlockingQueue<Access> slots = new LinkedBlockingQueue<>();
    slots.addAll(Collections.nCopies(reads, Access.READ));
    slots.addAll(Collections.nCopies(writes, Access.WRITE));
    Set<Integer> busy = ConcurrentHashMap.newKeySet();
    Map<Access, Long> blocks = new EnumMap<>(Access.class);
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < nanos && !requests.hasFailed()) {
      Access operation = take(slots);
      int block = random.nextInt(store.blocks());
      while (!busy.add(block)) {
        block = random.nextInt(store.blocks());
      }
      int chosen = block;
      CompletableFuture<Void> request =
          operation == Access.READ ? store.read(block) : store.write(block);
      blocks.merge(operation, 1L, Long::sum);
      requests.add(
          request.whenComplete(
              (done, error) -> {
                busy.remove(chosen);
                slots.add(operation);
              }));
    }
    requests.await(store.name());
    long took = System.nanoTime() - begin;
    Map<Access, Double> speeds = new EnumMap<>(Access.class);
    blocks.forEach((operation, count) -> speeds.put(operation, megabytes(count, took)));
    return speeds;
  }

  private static Access take(BlockingQueue<Access> slots) throws IOException {
    try {
      return slots.take();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /**
   * One request at a time, at random, with a pause after each.
   *
   * @return how long each took, nanoseconds
   */
  public static long[] oneByOne(
      CheckedStore store, Access operation, int count, long pauseNanos, long seed)
      throws IOException {
    Random random = new Random(seed);
    long[] took = new long[count];
    for (int i = 0; i < count; i++) {
      int block = random.nextInt(store.blocks());
      Requests request = new Requests();
      long begin = System.nanoTime();
      request.add(operation == Access.READ ? store.read(block) : store.write(block));
      store.store().send();
      request.await(store.name());
      took[i] = System.nanoTime() - begin;
      Pauses.pause(pauseNanos);
    }
    return took;
  }
}
