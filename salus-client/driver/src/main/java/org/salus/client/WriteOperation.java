package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * Writes bytes. It copies them when it is made, in the caller's thread: what is hashed and what is
 * sent is this copy, whatever becomes of the caller's buffer. If they are not whole blocks, the
 * copy has room for the rest of the first and the last block around them.
 */
final class WriteOperation extends Operation<Void> {
  private final boolean fua;
  private final ByteBuffer blocks;

  /** For the first block as it is, when it is written in part; else null. */
  private final ByteBuffer head;

  /** For the last block as it is, when it is written in part and is not the first; else null. */
  private final ByteBuffer tail;

  /**
   * @param src whose blocks have at most 2 GiB
   */
  WriteOperation(int blockSize, long offset, ByteBuffer src, boolean fua) {
    super(blockSize, offset, src.remaining());
    this.fua = fua;
    this.blocks = ByteBuffer.allocate(Math.toIntExact((endBlock() - firstBlock()) * blockSize));
    this.head = keepsHead() ? ByteBuffer.allocate(blockSize) : null;
    this.tail = keepsTail() ? ByteBuffer.allocate(blockSize) : null;
    blocks.slice(before(), (int) length).put(src.duplicate());
  }

  @Override
  Kind kind() {
    return Kind.WRITE;
  }

  @Override
  long weight() {
    return weight(block(), offset, length);
  }

  /** What a write of these bytes holds, before it is made. */
  static long weight(int blockSize, long offset, long length) {
    boolean whole = offset % blockSize == 0 && length % blockSize == 0;
    long blocks = (offset + length + blockSize - 1) / blockSize - offset / blockSize;
    return OF_REQUEST + (blocks + (whole ? 0 : 2)) * blockSize;
  }

  /** Bytes of the first block before what is written. */
  private int before() {
    return (int) (offset - firstBlock() * block());
  }

  @Override
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    return readEdges(session, head, tail);
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
