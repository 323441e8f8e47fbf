package org.salus.core.tree;

import java.util.Arrays;
import java.util.BitSet;

/** A page with its inner nodes; only what changed is hashed again. Not thread-safe. */
public final class Page {
  private static final int B = Hashes.BYTES;

  private final int width;

  /**
   * A heap: node 1 is the root, node i has the children 2i and 2i+1, child c of the page is node
   * width + c.
   */
  private final byte[] nodes;

  private final BitSet changed = new BitSet();

  /** A page whose children are all zero. */
  public Page(int width) {
    this.width = width;
    this.nodes = new byte[2 * width * B];
  }

  /**
   * @param children 32 bytes a child
   */
  public static Page of(byte[] children, Hashes h) {
    Page p = new Page(children.length / B);
    System.arraycopy(children, 0, p.nodes, p.width * B, children.length);
    p.changed.set(0, p.width);
    p.root(h);
    return p;
  }

  public byte[] child(int slot) {
    int at = (width + slot) * B;
    return Arrays.copyOfRange(nodes, at, at + B);
  }

  public void set(int slot, byte[] hash) {
    System.arraycopy(hash, 0, nodes, (width + slot) * B, B);
    changed.set(slot);
  }

  /** 32 bytes a child. */
  public byte[] children() {
    return Arrays.copyOfRange(nodes, width * B, 2 * width * B);
  }

  public byte[] root(Hashes h) {
    BitSet level = (BitSet) changed.clone();
    changed.clear();
    for (int n = width; n > 1; n /= 2) {
      BitSet up = new BitSet(n / 2);
      for (int i = level.nextSetBit(0); i >= 0; i = level.nextSetBit((i | 1) + 1)) {
        int parent = (n + i) / 2;
        h.node(nodes, 2 * parent * B, nodes, parent * B);
        up.set(i / 2);
      }
      level = up;
    }
    return Arrays.copyOfRange(nodes, B, 2 * B);
  }
}
