package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * Writes bytes. It copies them when it is made, in the caller's thread: what is hashed and what is
 * sent is this copy, whatever becomes of the caller's buffer. If they are not whole blocks, the
 * copy has room for the rest of the first and the last block around them.
 */
final class WriteOperation extends Operation {
  private final boolean fua;
  private final ByteBuffer blocks;

  /** The first block as it is, when it is written in part; else null. */
  private ByteBuffer head;

  /** The last block as it is, when it is written in part and is not the first; else null. */
  private ByteBuffer tail;

  /**
   * @throws IllegalArgumentException when the blocks that the bytes lie in exceed 2 GiB
   */
  WriteOperation(int blockSize, long offset, ByteBuffer src, boolean fua) {
    super(blockSize, offset, src.remaining());
    this.fua = fua;
    this.blocks = ByteBuffer.allocate(blockBytes(blockSize, offset, length));
    blocks.slice(before(), (int) length).put(src.duplicate());
  }

  /** Bytes of the blocks that a write touches. */
  static int blockBytes(int blockSize, long offset, long length) {
    long end = (offset + length + blockSize - 1) / blockSize;
    long bytes = (end - offset / blockSize) * blockSize;
    if (bytes > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a write of "
              + length
              + " bytes at "
              + offset
              + " touches blocks of "
              + bytes
              + " bytes, and 2 GiB are too many: write it in parts");
    }
    return (int) bytes;
  }

  /** Bytes of the first block before what is written. */
  private int before() {
    return (int) (offset - firstBlock() * block());
  }

  @Override
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    List<CompletableFuture<SessionEffect.Outcome>> edges = new ArrayList<>();
    boolean one = endBlock() - firstBlock() == 1;
    boolean tailless = (offset + length) % block() != 0;
    if (before() != 0 || one && tailless) {
      head = ByteBuffer.allocate(block());
      edges.add(session.read(firstBlock(), head));
    }
    if (tailless && !one) {
      tail = ByteBuffer.allocate(block());
      edges.add(session.read(endBlock() - 1, tail));
    }
    return edges;
  }

  @Override
  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    int after = before() + (int) length;
    int rest = blocks.capacity() - after;
    if (head != null) {
      blocks.put(0, head, 0, before());
    }
    if (rest > 0) {
      ByteBuffer last = tail == null ? head : tail;
      blocks.put(after, last, block() - rest, rest);
    }
    return session.write(firstBlock(), blocks, fua);
  }
}
