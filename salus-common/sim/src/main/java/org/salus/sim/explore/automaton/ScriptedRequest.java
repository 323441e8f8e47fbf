package org.salus.sim.explore.automaton;

import java.nio.ByteBuffer;

/**
 * A request of the application.
 *
 * @param id the request's number in the order of issue, from which a write's content is made
 * @param kind {@code w} write, {@code z} zero, {@code r} read
 */
public record ScriptedRequest(long id, char kind, long block, int count) {

  public boolean isRead() {
    return kind == 'r';
  }

  /** The content of a write, or an empty buffer for a read. */
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
