package org.salus.core.checkpoint;

import java.util.Arrays;
import org.salus.core.tree.Hashes;

/**
 * The index of one log segment that is not flushed: each settled block's newest place in the
 * segment and its leaf hash. It takes about 55 bytes a block. Not thread-safe.
 */
public final class Generation {
  /** The offset of a block that reads as zeros. */
  public static final long ZERO = -1;

  private static final int B = Hashes.BYTES;

  /** The number of entries that have room at first. */
  private static final int FEW = 32;

  /** The entries' blocks, in order of arrival. */
  private long[] blocks = new long[0];

  private int[] offsets = new int[0];
  private byte[] hashes = new byte[0];

  /**
   * A hash table of entries: an entry's index plus 1, or 0 if the slot is free. Its size is a power
   * of two, and it is at most three quarters full.
   */
  private int[] table = new int[FEW];

  private int size;

  /**
   * @param offset the offset of the block's bytes in the segment, below 2^31, or {@link #ZERO}
   */
  public void put(long local, long offset, byte[] hash) {
    makeRoom();
    int slot = slot(local);
    if (table[slot] == 0) {
      blocks[size++] = local;
      table[slot] = size;
    }
    int i = table[slot] - 1;
    offsets[i] = Math.toIntExact(offset);
    System.arraycopy(hash, 0, hashes, i * B, B);
  }

  /** The index of a block's entry, or -1. */
  public int index(long local) {
    return table[slot(local)] - 1;
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

  /** An immutable copy, ordered by block. */
  public Snapshot snapshot() {
    long[] locals = Arrays.copyOf(blocks, size);
    Arrays.sort(locals);
    long[] at = new long[size];
    byte[] leaves = new byte[size * B];
    for (int i = 0; i < size; i++) {
      int from = index(locals[i]);
      at[i] = offsets[from];
      System.arraycopy(hashes, from * B, leaves, i * B, B);
    }
    return new Snapshot(locals, at, leaves);
  }

  /** The slot of a block in the table, or the free one where it would go. */
  private int slot(long local) {
    int mask = table.length - 1;
    int i = (int) (local * 0x9E3779B97F4A7C15L >>> 32) & mask;
    while (table[i] != 0 && blocks[table[i] - 1] != local) {
      i = i + 1 & mask;
    }
    return i;
  }

  private void makeRoom() {
    if (size == blocks.length) {
      int most = FEW + size + size / 8;
      blocks = Arrays.copyOf(blocks, most);
      offsets = Arrays.copyOf(offsets, most);
      hashes = Arrays.copyOf(hashes, most * B);
    }
    if (size >= table.length / 4 * 3) {
      table = new int[2 * table.length];
      for (int i = 0; i < size; i++) {
        table[slot(blocks[i])] = i + 1;
      }
    }
  }

  /**
   * An immutable copy of a generation.
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
