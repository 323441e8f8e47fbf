package org.salus.sim.explore.automaton;

/** A growing set of {@link Digest.Print}s that takes 16 bytes for each, plus spare room. */
public final class Prints {
  private long[] slots = new long[1 << 16];
  private int size;

  /** Adds a print. Returns false if the set had it. */
  public boolean add(Digest.Print p) {
    if (8L * (size + 1) > 3L * slots.length) {
      long[] old = slots;
      slots = new long[2 * old.length];
      for (int i = 0; i < old.length; i += 2) {
        if (old[i] != 0 || old[i + 1] != 0) {
          put(old[i], old[i + 1]);
        }
      }
    }
    boolean fresh = put(p.a(), p.b());
    size += fresh ? 1 : 0;
    return fresh;
  }

  private boolean put(long a, long b) {
    int mask = slots.length - 2;
    int i = (int) (a >>> 7) & mask;
    while (slots[i] != 0 || slots[i + 1] != 0) {
      if (slots[i] == a && slots[i + 1] == b) {
        return false;
      }
      i = i + 2 & mask;
    }
    slots[i] = a;
    slots[i + 1] = b;
    return true;
  }
}
