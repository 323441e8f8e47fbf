package org.salus.benchmarks.figures.cluster;

import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * A few blocks of a large volume, in runs that are spread over all of it. A run is one lowest page
 * of the tree.
 */
public final class SpreadBlocks implements BlockStoreUnderTest {
  /** Blocks of a run, which is a stripe. */
  public static final int RUN = 128;

  private final SalusBlocks volume;
  private final long volumeBlocks;
  private final long seed;
  private long[] runs = new long[0];

  /**
   * @param volume which is not open yet
   * @param volumeBlocks that it is to have
   * @param seed from which the places of the runs come
   */
  public SpreadBlocks(SalusBlocks volume, long volumeBlocks, long seed) {
    this.volume = volume;
    this.volumeBlocks = volumeBlocks;
    this.seed = seed;
  }

  /**
   * The first block of each run. The volume is divided into as many equal parts, and each part has
   * one run, anywhere in it.
   */
  static long[] runs(long volumeBlocks, int count, long seed) {
    long slots = volumeBlocks / RUN / count;
    if (slots < 1) {
      throw new IllegalArgumentException(
          count + " runs of " + RUN + " blocks do not fit into " + volumeBlocks + " blocks");
    }
    Random random = new Random(seed);
    long[] runs = new long[count];
    for (int i = 0; i < count; i++) {
      runs[i] = (i * slots + random.nextLong(slots)) * RUN;
    }
    return runs;
  }

  @Override
  public String name() {
    return volume.name();
  }

  /**
   * @param blocks that are used, a multiple of a run
   */
  @Override
  public void open(long blocks) {
    runs = runs(volumeBlocks, Math.toIntExact(blocks / RUN), seed);
    volume.open(volumeBlocks);
  }

  /** As {@link SalusBlocks#mountAgain}. */
  public long mountAgain() {
    return volume.mountAgain();
  }

  private long place(long block) {
    return runs[(int) (block / RUN)] + block % RUN;
  }

  @Override
  public CompletableFuture<Void> write(long block, byte[] content) {
    return volume.write(place(block), content);
  }

  @Override
  public CompletableFuture<byte[]> read(long block) {
    return volume.read(place(block));
  }

  @Override
  public void send() {
    volume.send();
  }

  @Override
  public CompletableFuture<Void> barrier() {
    return volume.barrier();
  }

  @Override
  public long settle() throws IOException {
    return volume.settle();
  }

  @Override
  public void close() {
    volume.close();
  }
}
