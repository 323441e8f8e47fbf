package org.salus.core;

/**
 * A volume's fixed shape. Blocks are striped over the regions, {@code stripeBlocks} at a time, so
 * that a sequential stream uses every region. Inside a region a block has a local index, and the
 * region's tree is over local indexes.
 *
 * @param name the volume's name
 * @param id a random number from the creation, so that a name that is used again is another volume
 * @param blockSize bytes of a block, a power of two from {@link #MIN_BLOCK} to {@link #MAX_BLOCK}
 * @param blockCount blocks of the volume
 * @param regionCount regions that the blocks are striped over
 * @param synced whether a write is acknowledged only after fsync on all members' DataNodes
 * @param segmentBytes bytes of a log segment: one HDFS block
 * @param strict whether a region goes on only with three members, so that everything acknowledged
 *     is on three replicas
 */
public record VolumeSpec(
    String name,
    long id,
    int blockSize,
    long blockCount,
    int regionCount,
    boolean synced,
    long segmentBytes,
    boolean strict) {

  public static final int MIN_BLOCK = 4 << 10;
  public static final int MAX_BLOCK = 256 << 10;

  /** Largest volume, 16 TiB. */
  public static final long MAX_BYTES = 16L << 40;

  /** Least and most bytes of a log segment. */
  public static final long MIN_SEGMENT = 256 << 10;

  public static final long MAX_SEGMENT = 1 << 30;

  private static final int STRIPE_BYTES = 512 << 10;
  private static final int MAX_STRIPE = 128;

  public VolumeSpec {
    requireName(name);
    if (blockSize < MIN_BLOCK || blockSize > MAX_BLOCK || Integer.bitCount(blockSize) != 1) {
      throw new IllegalArgumentException(
          "block size " + blockSize + ": use a power of two from 4K to 256K");
    }
    if (blockCount < 1 || blockCount > MAX_BYTES / blockSize) {
      throw new IllegalArgumentException("size of " + blockCount + " blocks: use 1 block to 16T");
    }
    if (regionCount < 1 || regionCount > 10_000) {
      throw new IllegalArgumentException("region count " + regionCount + ": use 1 to 10000");
    }
    if (segmentBytes < Math.max(MIN_SEGMENT, 16L * blockSize) || segmentBytes > MAX_SEGMENT) {
      throw new IllegalArgumentException(
          "segment size " + segmentBytes + ": use 256K to 1G, and 16 blocks at least");
    }
  }

  /**
   * Refuses what is no name of a volume.
   *
   * @throws IllegalArgumentException with a sentence that says what is
   */
  public static void requireName(String name) {
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")) {
      throw new IllegalArgumentException(
          "volume name '"
              + name
              + "': use 1 to 64 letters, digits, '_', '.', '-', starting with a letter or digit");
    }
  }

  /** The shape of a volume that is not strict. */
  public VolumeSpec(
      String name,
      long id,
      int blockSize,
      long blockCount,
      int regionCount,
      boolean synced,
      long segmentBytes) {
    this(name, id, blockSize, blockCount, regionCount, synced, segmentBytes, false);
  }

  /** Bytes of the volume. */
  public long size() {
    return blockCount * blockSize;
  }

  /** Blocks that lie side by side in one region. */
  public int stripeBlocks() {
    return Math.max(1, Math.min(MAX_STRIPE, STRIPE_BYTES / blockSize));
  }

  /** Leaves of a region's tree: a power of two that holds every block striped to the region. */
  public long regionBlocks() {
    long stripes = (blockCount + stripeBlocks() - 1) / stripeBlocks();
    long blocks = (stripes + regionCount - 1) / regionCount * stripeBlocks();
    return Long.highestOneBit(Math.max(1, 2 * blocks - 1));
  }

  /** The region of a block. */
  public int region(long block) {
    return (int) (block / stripeBlocks() % regionCount);
  }

  /** A block's index inside its region. */
  public long local(long block) {
    int s = stripeBlocks();
    return block / s / regionCount * s + block % s;
  }

  /** The block at a local index of a region; the inverse of {@link #region} and {@link #local}. */
  public long block(int region, long local) {
    int s = stripeBlocks();
    return (local / s * regionCount + region) * s + local % s;
  }

  /** Most bytes of payload in a batch, so that several records fit into a segment. */
  public int maxBatchBytes() {
    return (int) Math.max(blockSize, Math.min(1 << 20, segmentBytes / 8));
  }

  public RegionId regionId(int index) {
    return new RegionId(id, index);
  }
}
