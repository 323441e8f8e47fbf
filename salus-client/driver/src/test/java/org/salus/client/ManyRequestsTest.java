package org.salus.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.MountConfig;
import org.salus.core.session.SessionConfig;

/**
 * What a request costs does not grow with the number of requests that wait, over members in memory.
 */
class ManyRequestsTest {
  private static final int BLOCK = 4096;

  /** 1 GiB: 1024 leaf pages of the tree. */
  private static final VolumeSpec SPEC =
      new VolumeSpec("large", 9, BLOCK, 1 << 18, 1, false, 1 << 30);

  private static final int FEW = 512;
  private static final Duration LONG = Duration.ofHours(1);

  private final Random random = new Random(4711);

  private static MemoryClient opened() throws Exception {
    SessionConfig d = SessionConfig.defaults();
    MemoryClient c =
        new MemoryClient(
            SPEC,
            MountConfig.defaults(),
            new SessionConfig(
                d.maxBatches(),
                d.maxBatchPuts(),
                d.resendAfterNanos(),
                LONG.toNanos(),
                d.pagesPerRegion(),
                d.readBytesPerRegion()));
    c.open();
    return c;
  }

  /** Every block of {@code step} has data. */
  private static void fill(MemoryClient c, int step) {
    for (long block = 0; block < SPEC.blockCount(); block += step) {
      c.volume.write(block * BLOCK, ByteBuffer.wrap(new byte[] {(byte) (block + 1)}));
      if (block % (512L * step) == 0) {
        c.loop.settle();
      }
    }
    c.loop.settle();
  }

  /** The processor time of {@code count} requests in nanoseconds, {@code atOnce} at a time. */
  private static long cost(
      MemoryClient c, int count, int atOnce, IntFunction<CompletableFuture<?>> request) {
    long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    for (int from = 0; from < count; from += atOnce) {
      List<CompletableFuture<?>> outstanding = new ArrayList<>();
      for (int i = from; i < Math.min(count, from + atOnce); i++) {
        outstanding.add(request.apply(i));
      }
      c.loop.settle();
      outstanding.forEach(f -> assertThat(f).isCompleted());
    }
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;
  }

  private CompletableFuture<?> randomRead(MemoryClient c) {
    return c.volume.read(
        (long) random.nextInt((int) SPEC.blockCount()) * BLOCK, ByteBuffer.allocate(BLOCK));
  }

  private CompletableFuture<?> unaligned(MemoryClient c) {
    int length = 1 + random.nextInt(BLOCK / 16);
    long offset = (long) (random.nextDouble() * (SPEC.size() - length));
    ByteBuffer bytes = ByteBuffer.allocate(length);
    return switch (random.nextInt(8)) {
      case 0, 1, 2 -> c.volume.read(offset, bytes);
      case 3 -> c.volume.writeZeroes(offset, length, false);
      case 4 -> c.volume.extents(offset, length);
      default -> c.volume.write(offset, bytes);
    };
  }

  @Test
  void randomReadsCostTheSameAllAtOnceAndAFewAtATime() throws Exception {
    MemoryClient c = opened();
    fill(c, 64);
    cost(c, 4_000, FEW, i -> randomRead(c)); // warms up
    long few = cost(c, 16_000, FEW, i -> randomRead(c));
    long all = cost(c, 16_000, 16_000, i -> randomRead(c));
    assertThat((double) all / few).isLessThan(2);
  }

  @Test
  void unalignedRequestsCostTheSameAllAtOnceAndAFewAtATime() throws Exception {
    int n = 20_000;
    costOfUnaligned(n / 4, FEW); // warms up
    long few = costOfUnaligned(n, FEW);
    long all = costOfUnaligned(n, n);
    assertThat((double) all / few).isLessThan(2);
  }

  /** The members keep all that is written, so each measurement has its own. */
  private long costOfUnaligned(int count, int atOnce) throws Exception {
    MemoryClient c = opened();
    return cost(c, count, atOnce, i -> unaligned(c));
  }
}
