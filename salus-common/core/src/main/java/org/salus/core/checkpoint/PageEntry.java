package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/**
 * The blocks of one page that a checkpoint holds. A block with a zero hash has no data: it reads as
 * zeros. The data of the others is in the checkpoint or, at level 0, in the log segment that was
 * flushed. Not thread-safe.
 */
public final class PageEntry {
  /** Stands for "in the checkpoint itself"; no segment has this number. */
  private static final long IN_CHECKPOINT = 0;

  private static final int B = Hashes.BYTES;

  /** Bytes of an entry's encoding besides its blocks. */
  static final int FIXED = B + 3 * Long.BYTES;

  private final long page;
  private final long[] present = new long[2];

  /** A bit for each present block that is not zeros. */
  private final long[] data = new long[2];

  private final byte[] hashes = new byte[TreeShape.FANOUT * B];

  /** The offset of each block in the segment, in bytes, if the data is in one; else null. */
  private final int[] offsets;

  private final long segment;
  private byte[] root = Hashes.zero();

  /** Makes an empty entry whose blocks' data is in the checkpoint itself. */
  public PageEntry(long page) {
    this(page, IN_CHECKPOINT);
  }

  /**
   * @param segment the segment with the blocks' data, or {@link #IN_CHECKPOINT}
   */
  PageEntry(long page, long segment) {
    this.page = page;
    this.segment = segment;
    this.offsets = segment == IN_CHECKPOINT ? null : new int[TreeShape.FANOUT];
  }

  public long page() {
    return page;
  }

  public boolean has(int slot) {
    return isSet(present, slot);
  }

  /**
   * A bit for each block that is here: slots 0 to 63 (half 0) or 64 to 127 (half 1). The lowest bit
   * is the lowest slot.
   */
  long blocks(int half) {
    return present[half];
  }

  static boolean isSet(long[] bits, int slot) {
    return (bits[slot >> 6] >>> slot & 1) != 0;
  }

  public byte[] hash(int slot) {
    return Arrays.copyOfRange(hashes, slot * B, slot * B + B);
  }

  /** Whether the block is here and has data. */
  public boolean hasData(int slot) {
    return isSet(data, slot);
  }

  /** The number of blocks before this one that have data. */
  int dataBefore(int slot) {
    long below = (1L << slot) - 1; // within the slot's word: Java takes a shift modulo 64
    return slot < Long.SIZE
        ? Long.bitCount(data[0] & below)
        : Long.bitCount(data[0]) + Long.bitCount(data[1] & below);
  }

  /** Whether these bytes are the block's. */
  boolean isRight(int slot, ByteBuffer bytes) {
    byte[] leaf = new Hashes().leaf(bytes);
    return Arrays.equals(leaf, 0, B, hashes, slot * B, slot * B + B);
  }

  public boolean isEmpty() {
    return (present[0] | present[1]) == 0;
  }

  /** Whether the blocks' data is in a log segment, and not in the checkpoint. */
  public boolean isInSegment() {
    return segment != IN_CHECKPOINT;
  }

  /** The log segment with the blocks' data. */
  public long segment() {
    return segment;
  }

  /** The offset of a block's data in the segment, in bytes. */
  public long offset(int slot) {
    return offsets[slot];
  }

  boolean isFull() {
    return (present[0] & present[1]) == -1;
  }

  void set(int slot, byte[] hash) {
    System.arraycopy(hash, 0, hashes, slot * B, B);
    mark(slot);
  }

  /** Marks a block as present; its hash is set already. */
  private void mark(int slot) {
    present[slot >> 6] |= 1L << slot;
    data[slot >> 6] =
        data[slot >> 6] & ~(1L << slot) | (Hashes.isZero(hashes, slot * B, B) ? 0 : 1L << slot);
  }

  /**
   * @param offset the offset in the segment, in bytes; ignored if the block reads as zeros
   */
  void set(int slot, byte[] hash, long offset) {
    set(slot, hash);
    offsets[slot] = (int) offset;
  }

  void remove(int slot) {
    present[slot >> 6] &= ~(1L << slot);
    data[slot >> 6] &= ~(1L << slot);
    Arrays.fill(hashes, slot * B, slot * B + B, (byte) 0);
  }

  /** Adds the blocks that only the older entry has. */
  void addOlder(PageEntry older) {
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (older.has(slot) && !has(slot)) {
        set(slot, older.hash(slot));
      }
    }
  }

  /** The root of the page as of this checkpoint and all older ones. */
  public byte[] root() {
    return root;
  }

  void setRoot(byte[] hash) {
    root = hash;
  }

  /** Hashes of the first {@code width} blocks, zeros for those that are not here. */
  public byte[] children(int width) {
    return Arrays.copyOf(hashes, width * B);
  }

  /** The length of the encoding, in bytes. */
  int encodedBytes() {
    int blocks = Long.bitCount(present[0]) + Long.bitCount(present[1]);
    int offsetsToo = isInSegment() ? Long.bitCount(data[0]) + Long.bitCount(data[1]) : 0;
    return FIXED + blocks * B + offsetsToo * Integer.BYTES;
  }

  public byte[] encode() {
    Encoder e = new Encoder(encodedBytes()).raw(root).i64(present[0]).i64(present[1]).i64(segment);
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (has(slot)) {
        e.raw(hash(slot));
      }
    }
    for (int slot = 0; isInSegment() && slot < TreeShape.FANOUT; slot++) {
      if (hasData(slot)) {
        e.i32(offsets[slot]);
      }
    }
    return e.toBytes();
  }

  /** Advances {@code in} to its end. */
  public static PageEntry decode(long page, ByteBuffer in) throws MalformedException {
    Decoder d = new Decoder(in);
    byte[] root = d.raw(B);
    long[] there = {d.i64(), d.i64()};
    PageEntry p = new PageEntry(page, d.i64());
    p.root = root;
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (isSet(there, slot)) {
        d.raw(p.hashes, slot * B, B);
        p.mark(slot);
      }
    }
    for (int slot = 0; p.isInSegment() && slot < TreeShape.FANOUT; slot++) {
      if (p.hasData(slot)) {
        p.offsets[slot] = d.i32();
      }
    }
    d.end();
    return p;
  }
}
