package org.salus.sim.explore.automaton;

import java.nio.ByteBuffer;

/**
 * A request of the application.
 *
 * @param id numbers requests in the order of issue, and names what a write writes
 * @param kind {@code w} write, {@code z} zero, {@code r} read
 */
public record ScriptedRequest(long id, char kind, long block, int count) {

  public boolean isRead() {
    return kind == 'r';
  }

  /** What a write writes, or room for what a read reads. */
  public ByteBuffer buffer(int blockSize) {
    ByteBuffer b = ByteBuffer.allocate(count * blockSize);
    for (int i = 0; kind == 'w' && i < count; i++) {
      b.putLong(i * blockSize, id << 32 | i + 1);
    }
    return b;
  }

  @Override
  public String toString() {
    String what = kind == 'w' ? "write" : kind == 'r' ? "read" : "zero";
    return what
        + " "
        + id
        + " of block"
        + (count == 1 ? " " + block : "s " + block + " to " + (block + count - 1));
  }
}
