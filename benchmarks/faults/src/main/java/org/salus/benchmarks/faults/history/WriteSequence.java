package org.salus.benchmarks.faults.history;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A sequence of writes that is known before they are issued. Write {@code seq}, from 1 on, goes to
 * {@link #block} and has {@link #content}, from which the seq can be read. Immutable.
 *
 * @param blocks number of blocks that it writes, from 0 on
 */
public record WriteSequence(long seed, int blocks) {
  /** Bytes of a block. */
  public static final int BLOCK = 4096;

  /** What {@link #seqOf} returns for bytes that no write of this sequence to that block has. */
  public static final long JUNK = -1;

  private static final int HEADER = 2 * Long.BYTES;
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  public int block(long seq) {
    return new SplittableRandom(seed ^ seq * SPREAD).nextInt(blocks);
  }

  public byte[] content(long seq) {
    byte[] data = new byte[BLOCK];
    new SplittableRandom(seed + seq * SPREAD).nextBytes(data);
    ByteBuffer.wrap(data).putLong(seed).putLong(seq);
    return data;
  }

  /**
   * Which write these are the bytes of; 0 for the zeros before the first, {@link #JUNK} for none.
   */
  public long seqOf(int block, byte[] data) {
    if (Arrays.equals(data, new byte[BLOCK])) {
      return 0;
    }
    long seq = data.length < HEADER ? JUNK : ByteBuffer.wrap(data).getLong(Long.BYTES);
    return seq > 0 && block(seq) == block && Arrays.equals(data, content(seq)) ? seq : JUNK;
  }
}
