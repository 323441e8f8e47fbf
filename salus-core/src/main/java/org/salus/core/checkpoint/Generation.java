package org.salus.core.checkpoint;

import java.util.Arrays;
import org.salus.core.tree.Hashes;

/**
 * The settled blocks whose newest version in one log segment is known: where it is in the segment and its leaf hash, about
 * 100 bytes a block. Not thread-safe.
 */
public final class Generation {
  /** The offset of a block that reads as zeros. */
  public static final long ZERO = -1;

  private static final int B = Hashes.BYTES;
  private static final long FREE = -1;
  private static final int SMALLEST = 64;

  private long[] blocks = new long[0];
  private long[] offsets = new long[0];
  private byte[] hashes = new byte[0];
  private int size;

  /** @param offset of the block's bytes in the segment, or {@link #ZERO} */
  public void put(long local, long offset, byte[] hash) {
    if (2 * (size + 1) > blocks.length) {
      grow();
    }
    int i = find(local);
    if (blocks[i] == FREE) {
      blocks[i] = local;
      size++;
    }
    offsets[i] = offset;
    System.arraycopy(hash, 0, hashes, i * B, B);
  }

  /** Where a block's entry is, or -1. */
  public int index(long local) {
    if (size == 0) {
      return -1;
    }
    int i = find(local);
    return blocks[i] == FREE ? -1 : i;
  }

  public long offset(int index) {
    return offsets[index];
  }

  /** Copies the leaf hash of an entry. */
  public void copyHash(int index, byte[] to, int at) {
    System.arraycopy(hashes, index * B, to, at, B);
  }

  public int size() {
    return size;
  }

  /** An unchanging copy, by block. */
  public Snapshot snapshot() {
    long[] locals = Arrays.stream(blocks).filter(b -> b != FREE).sorted().toArray();
    long[] at = new long[size];
    byte[] leaves = new byte[size * B];
    for (int i = 0; i < size; i++) {
      int from = find(locals[i]);
      at[i] = offsets[from];
      System.arraycopy(hashes, from * B, leaves, i * B, B);
    }
    return new Snapshot(locals, at, leaves);
  }

  /** The slot of a block, or the free one where it would go. */
  private int find(long local) {
    int mask = blocks.length - 1;
    int i = (int) (local * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (blocks[i] != FREE && blocks[i] != local) {
      i = i + 1 & mask;
    }
    return i;
  }

  private void grow() {
    long[] oldBlocks = blocks;
    long[] oldOffsets = offsets;
    byte[] oldHashes = hashes;
    int n = Math.max(SMALLEST, 2 * blocks.length);
    blocks = new long[n];
    Arrays.fill(blocks, FREE);
    offsets = new long[n];
    hashes = new byte[n * B];
    for (int i = 0; i < oldBlocks.length; i++) {
      if (oldBlocks[i] != FREE) {
        int to = find(oldBlocks[i]);
        blocks[to] = oldBlocks[i];
        offsets[to] = oldOffsets[i];
        System.arraycopy(oldHashes, i * B, hashes, to * B, B);
      }
    }
  }

  /**
   * A generation that changes no more.
   *
   * @param locals blocks in ascending order
   * @param offsets in the segment, or {@link #ZERO}
   * @param hashes 32 bytes a block
   */
  public record Snapshot(long[] locals, long[] offsets, byte[] hashes) {
    public byte[] hash(int i) {
      return Arrays.copyOfRange(hashes, i * B, i * B + B);
    }
  }
}
