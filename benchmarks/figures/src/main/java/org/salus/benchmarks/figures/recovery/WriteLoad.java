package org.salus.benchmarks.figures.recovery;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.salus.client.Volume;
import org.salus.core.VolumeSpec;
import org.salus.host.DaemonThreads;

/**
 * Random writes of a block each, many outstanding, in a thread of its own. Notes when writes
 * complete in each region. Thread-safe.
 */
final class WriteLoad implements AutoCloseable {
  private static final int OUTSTANDING = 32;

  private final Volume volume;
  private final VolumeSpec shape;
  private final List<Integer> regions;
  private final Semaphore slots = new Semaphore(OUTSTANDING);
  private final Thread thread = DaemonThreads.create("write-load", this::run);

  /**
   * For each region, the times of the last completed write and of the first completed one issued
   * after {@link #mark}, in nanoseconds.
   */
  private final long[] last;

  private final long[] next;
  private long marked;
  private long longest;
  private long completed;
  private Throwable failed;
  private volatile boolean stopped;

  private WriteLoad(Volume volume, VolumeSpec shape, List<Integer> regions) {
    this.volume = volume;
    this.shape = shape;
    this.regions = regions;
    this.last = new long[shape.regionCount()];
    this.next = new long[shape.regionCount()];
  }

  /**
   * Starts a load.
   *
   * @param shape says which block is in which region
   * @param regions the regions that are written
   */
  static WriteLoad start(Volume volume, VolumeSpec shape, List<Integer> regions) {
    WriteLoad load = new WriteLoad(volume, shape, regions);
    load.mark();
    load.thread.start();
    return load;
  }

  /** Starts a load on all regions. */
  static WriteLoad everywhere(Volume volume, VolumeSpec shape) {
    return start(volume, shape, IntStream.range(0, shape.regionCount()).boxed().toList());
  }

  private void run() {
    Random random = new Random(11);
    byte[] content = new byte[shape.blockSize()];
    random.nextBytes(content);
    long perRegion =
        shape.blockCount() / shape.regionCount() / shape.stripeBlocks() * shape.stripeBlocks();
    while (!stopped) {
      slots.acquireUninterruptibly();
      int region = regions.get(random.nextInt(regions.size()));
      long block = shape.block(region, random.nextLong(perRegion));
      long issued = System.nanoTime();
      volume
          .write(block * shape.blockSize(), ByteBuffer.wrap(content))
          .whenComplete(
              (nothing, error) -> {
                slots.release();
                completed(region, issued, error);
              });
    }
  }

  private synchronized void completed(int region, long issued, Throwable error) {
    long now = System.nanoTime();
    if (error != null && !stopped) {
      failed = error;
    }
    completed++;
    longest = Math.max(longest, now - last[region]);
    last[region] = now;
    if (next[region] == 0 && issued - marked > 0) {
      next[region] = now;
    }
  }

  /** Starts the measurement of pauses and next writes. */
  synchronized void mark() {
    marked = System.nanoTime();
    longest = 0;
    completed = 0;
    Arrays.fill(next, 0);
    Arrays.fill(last, marked);
  }

  /**
   * Seconds from the mark until every region had completed a write that was issued after it, or a
   * negative number before that.
   *
   * @throws IOException when a write failed, which none may
   */
  synchronized double nextEverywhere() throws IOException {
    requireNoneFailed();
    long latest = marked;
    for (int region : regions) {
      if (next[region] == 0) {
        return -1;
      }
      latest = Math.max(latest, next[region]);
    }
    return (latest - marked) / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /**
   * Completed writes a second since the mark.
   *
   * @throws IOException when a write failed
   */
  synchronized double perSecond() throws IOException {
    requireNoneFailed();
    return completed * (double) TimeUnit.SECONDS.toNanos(1) / (System.nanoTime() - marked);
  }

  private void requireNoneFailed() throws IOException {
    if (failed != null) {
      throw new IOException("a write failed: " + failed.getMessage(), failed);
    }
  }

  /** Seconds of the longest pause of any region since the mark, without a completed write. */
  synchronized double longestPause() {
    long pause = longest;
    for (int region : regions) {
      pause = Math.max(pause, System.nanoTime() - last[region]);
    }
    return pause / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /** Stops issuing writes. */
  @Override
  public void close() {
    stopped = true;
    slots.release();
  }
}
