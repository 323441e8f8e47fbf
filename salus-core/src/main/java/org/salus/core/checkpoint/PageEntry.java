package org.salus.core.checkpoint;

import java.util.Arrays;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.Decoder;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** The blocks of one page that a checkpoint holds. A block with a zero hash has no data: it reads as zeros. */
public final class PageEntry {
  private static final int B = Hashes.BYTES;

  private final long page;
  private final long[] present = new long[2];
  private final byte[] hashes = new byte[TreeShape.FANOUT * B];
  private byte[] root = Hashes.zero();

  public PageEntry(long page) {
    this.page = page;
  }

  public long page() {
    return page;
  }

  public boolean has(int slot) {
    return (present[slot >> 6] >>> slot & 1) != 0;
  }

  public byte[] hash(int slot) {
    return Arrays.copyOfRange(hashes, slot * B, slot * B + B);
  }

  /** Whether the block is here and has data. */
  public boolean hasData(int slot) {
    return has(slot) && !Hashes.isZero(hash(slot));
  }

  public boolean isEmpty() {
    return (present[0] | present[1]) == 0;
  }

  boolean isFull() {
    return (present[0] & present[1]) == -1;
  }

  void set(int slot, byte[] hash) {
    present[slot >> 6] |= 1L << slot;
    System.arraycopy(hash, 0, hashes, slot * B, B);
  }

  void remove(int slot) {
    present[slot >> 6] &= ~(1L << slot);
    Arrays.fill(hashes, slot * B, slot * B + B, (byte) 0);
  }

  /** Takes the blocks that only the other has. */
  void addOlder(PageEntry older) {
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (older.has(slot) && !has(slot)) {
        set(slot, older.hash(slot));
      }
    }
  }

  /** Root of the page with this checkpoint and all older ones. */
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

  public byte[] encode() {
    Encoder e = new Encoder(64 + 16 * B).raw(root).i64(present[0]).i64(present[1]);
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (has(slot)) {
        e.raw(hash(slot));
      }
    }
    return e.toBytes();
  }

  public static PageEntry decode(long page, byte[] in) throws MalformedException {
    Decoder d = new Decoder(in);
    PageEntry p = new PageEntry(page);
    p.root = d.raw(B);
    long low = d.i64();
    long high = d.i64();
    for (int slot = 0; slot < TreeShape.FANOUT; slot++) {
      if (((slot < 64 ? low : high) >>> slot & 1) != 0) {
        p.set(slot, d.raw(B));
      }
    }
    d.end();
    return p;
  }
}
