package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.salus.client.Volume;
import org.salus.dist.hbase.Await;

/** Writes at random places all the time, and remembers what it wrote. */
final class RandomWrites implements AutoCloseable {
  private static final int LARGEST = 20_000;

  private final Volume volume;
  private final Duration patience;
  private final byte[] model;
  private final AtomicReference<Throwable> failed = new AtomicReference<>();
  private final Thread thread = new Thread(this::run, "writer");
  private volatile boolean stopped;
  private volatile long done;
  private final AtomicLong longest = new AtomicLong();

  RandomWrites(Volume volume) {
    this(volume, Duration.ofMinutes(2));
  }

  /**
   * @param patience the longest time for which a write may wait
   */
  RandomWrites(Volume volume, Duration patience) {
    this.volume = volume;
    this.patience = patience;
    this.model = new byte[(int) volume.size()];
    thread.start();
  }

  private void run() {
    long seed = System.nanoTime();
    System.out.println("writer: seed " + seed);
    Random random = new Random(seed);
    try {
      while (!stopped) {
        CompletableFuture<?>[] some = new CompletableFuture<?>[8];
        for (int i = 0; i < some.length; i++) {
          some[i] = write(random);
        }
        long begin = System.nanoTime();
        CompletableFuture.allOf(some).get(patience.toMillis(), TimeUnit.MILLISECONDS);
        longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
        done += some.length;
      }
    } catch (Exception e) {
      failed.set(e);
    }
  }

  private CompletableFuture<Void> write(Random random) {
    byte[] data = new byte[1 + random.nextInt(LARGEST)];
    random.nextBytes(data);
    int offset = random.nextInt(model.length - data.length);
    System.arraycopy(data, 0, model, offset, data.length);
    return volume.write(offset, ByteBuffer.wrap(data));
  }

  /** Waits until this many more writes are done. */
  void awaitMore(int writes) throws Exception {
    long wanted = done + writes;
    while (done < wanted) {
      long from = done;
      Await.until(
          "one more write of those up to number " + wanted,
          Duration.ofSeconds(120),
          () -> {
            assertThat(failed.get()).isNull();
            return done > from;
          });
    }
  }

  /** The longest time for which a write has waited, in milliseconds, since the last call. */
  long longestMillis() {
    return longest.getAndSet(0) / 1_000_000;
  }

  byte[] stop() throws Exception {
    stopped = true;
    thread.join();
    assertThat(failed.get()).isNull();
    return Arrays.copyOf(model, model.length);
  }

  @Override
  public void close() {
    stopped = true;
  }
}
