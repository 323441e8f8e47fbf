package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.salus.client.Volume;
import org.salus.host.DaemonThreads;

/**
 * Writes a volume at full speed. Each block holds the number of its write. Checks afterwards
 * whether the volume is in the state after some prefix of the writes. One thread writes; another
 * calls {@link #begin} and {@link #check} while none writes.
 */
final class NumberedWrites {
  private static final int BLOCK = 4096;
  private static final int MOST_BLOCKS = 8;
  private static final int OUTSTANDING = 64;
  private static final int READ = 1 << 20;

  private final String what;
  private final Random random;

  /** The number in each block as of the last check. */
  private long[] base;

  private long issued;

  /**
   * The blocks written since the last check; write {@code first + i} wrote block {@code i} of the
   * list.
   */
  private final List<Integer> since = new ArrayList<>();

  private long first = 1;
  private final List<Boolean> done = new ArrayList<>();
  private long acknowledged;
  private long flushed;
  private Thread thread;
  private Semaphore slots;
  private volatile boolean stopped;

  /**
   * The result of a check, in numbers of writes: the last one that is in the volume, and the last
   * acknowledged, flushed and issued ones.
   */
  record Prefix(long last, long acknowledged, long flushed, long issued) {}

  NumberedWrites(String what, long size, long seed) {
    this.what = what;
    this.random = new Random(seed);
    this.base = new long[(int) (size / BLOCK)];
  }

  /** The name of their volume. */
  String name() {
    return what;
  }

  /** Starts to write. */
  void begin(Volume volume) {
    stopped = false;
    slots = new Semaphore(OUTSTANDING);
    Semaphore mine = slots;
    thread =
        DaemonThreads.start(
            "writes-" + what,
            () -> {
              mine.acquireUninterruptibly();
              while (!stopped) {
                one(volume, mine);
                mine.acquireUninterruptibly();
              }
              mine.release();
            });
  }

  private void one(Volume volume, Semaphore mine) {
    int kind = random.nextInt(100);
    if (kind == 0) {
      long covers = acknowledged();
      note(volume.flush(), mine, () -> flushed = Math.max(flushed, covers));
      return;
    }
    boolean fua = kind == 1;
    int blocks = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(MOST_BLOCKS);
    int at = random.nextInt(base.length - blocks);
    ByteBuffer data = ByteBuffer.allocate(blocks * BLOCK);
    long from;
    synchronized (this) {
      from = issued + 1;
      for (int i = 0; i < blocks; i++) {
        since.add(at + i);
        done.add(false);
        fill(data, ++issued, at + i);
      }
    }
    note(
        volume.write((long) at * BLOCK, data.flip(), fua),
        mine,
        () -> {
          for (int i = 0; i < blocks; i++) {
            done.set((int) (from + i - first), true);
          }
          while (acknowledged < issued && done.get((int) (acknowledged + 1 - first))) {
            acknowledged++;
          }
          // A write that is forced to disk takes all earlier writes along.
          flushed = fua ? Math.max(flushed, from + blocks - 1) : flushed;
        });
  }

  private void note(CompletableFuture<Void> request, Semaphore mine, Runnable success) {
    request.whenComplete(
        (nothing, failed) -> {
          if (failed == null) {
            synchronized (this) {
              success.run();
            }
          }
          mine.release();
        });
  }

  synchronized long acknowledged() {
    return acknowledged;
  }

  /** Waits until so many blocks more are acknowledged than were issued before {@link #begin}. */
  void awaitAcknowledged(int blocks) {
    while (acknowledged() < first + blocks) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void fill(ByteBuffer data, long number, int block) {
    for (int i = 0; i < BLOCK; i += 16) {
      data.putLong(number).putLong(number * 31 + block * 7L + i);
    }
  }

  /** Stops issuing writes. Outstanding ones may fail. */
  void stop() throws InterruptedException {
    stopped = true;
    slots.release();
    thread.join();
    slots.acquire();
  }

  /**
   * Waits until all writes and flushes are answered or have failed; call it after {@link #stop}.
   */
  void awaitAnswers() throws InterruptedException {
    slots.acquire(OUTSTANDING);
  }

  /**
   * Reads the whole volume and compares it. The next writes come on top of what it finds.
   *
   * @param allAcknowledged whether all acknowledged writes must be there, not only the flushed ones
   */
  synchronized Prefix check(Volume volume, boolean allAcknowledged) {
    long[] found = read(volume);
    long last = Math.max(first - 1, Arrays.stream(found).max().orElse(0));
    long[] expected = base.clone();
    for (long n = first; n <= Math.min(last, issued); n++) {
      expected[since.get((int) (n - first))] = n;
    }
    assertThat(last).as(what + ": the last write of those issued").isLessThanOrEqualTo(issued);
    assertThat(found).as(what + ": the state after write " + last).isEqualTo(expected);
    assertThat(last)
        .as(what + ": the last write, of what was flushed")
        .isGreaterThanOrEqualTo(flushed);
    if (allAcknowledged) {
      assertThat(last)
          .as(what + ": the last write, of what was acknowledged")
          .isGreaterThanOrEqualTo(acknowledged);
    }
    return startFrom(found, last);
  }

  /**
   * Reads the whole volume by the handle that wrote it: every acknowledged write must be there. A
   * write that failed may be there or not, whatever came after it.
   */
  synchronized Prefix checkAcknowledged(Volume volume) {
    long[] found = read(volume);
    long[] oldest = base.clone();
    for (int i = 0; i < since.size(); i++) {
      if (done.get(i)) {
        oldest[since.get(i)] = first + i;
      }
    }
    for (int b = 0; b < found.length; b++) {
      assertThat(found[b])
          .as(
              what
                  + ": the write in block "
                  + b
                  + ", of which the handle acknowledged "
                  + oldest[b])
          .isBetween(oldest[b], issued);
    }
    return startFrom(found, Arrays.stream(found).max().orElse(0));
  }

  /** The next writes come on top of these. */
  private Prefix startFrom(long[] found, long last) {
    Prefix prefix = new Prefix(last, acknowledged, flushed, issued);
    base = found;
    since.clear();
    done.clear();
    first = issued + 1;
    acknowledged = issued;
    flushed = issued;
    return prefix;
  }

  private long[] read(Volume volume) {
    long[] numbers = new long[base.length];
    ByteBuffer some = ByteBuffer.allocate(READ);
    ByteBuffer same = ByteBuffer.allocate(BLOCK);
    for (int b = 0; b < base.length; b++) {
      if (b % (READ / BLOCK) == 0) {
        volume
            .read((long) b * BLOCK, some.clear().limit(Math.min(READ, (base.length - b) * BLOCK)))
            .join();
      }
      ByteBuffer block = some.slice(b % (READ / BLOCK) * BLOCK, BLOCK);
      numbers[b] = block.getLong(0);
      if (numbers[b] != 0) {
        fill(same.clear(), numbers[b], b);
        assertThat(block).as(what + ": block " + b).isEqualTo(same.flip());
      }
    }
    return numbers;
  }
}
