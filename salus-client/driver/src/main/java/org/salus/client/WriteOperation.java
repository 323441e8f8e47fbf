package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/**
 * Writes bytes. If they are not whole blocks, it writes a copy with the rest of the first and last
 * block around them.
 */
final class WriteOperation extends Operation {
  private final ByteBuffer src;
  private final boolean fua;
  private ByteBuffer blocks;

  WriteOperation(int blockSize, long offset, ByteBuffer src, boolean fua) {
    super(blockSize, offset, src.remaining());
    this.src = src;
    this.fua = fua;
  }

  @Override
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    boolean headless = offset % block() != 0;
    boolean tailless = (offset + length) % block() != 0;
    if (!headless && !tailless) {
      blocks = src.slice();
      return List.of();
    }
    List<CompletableFuture<SessionEffect.Outcome>> edges = new ArrayList<>();
    blocks = ByteBuffer.allocate((int) (endBlock() - firstBlock()) * block());
    if (headless || endBlock() - firstBlock() == 1) {
      edges.add(session.read(firstBlock(), blocks.slice(0, block())));
    }
    if (tailless && endBlock() - firstBlock() > 1) {
      edges.add(session.read(endBlock() - 1, blocks.slice(blocks.capacity() - block(), block())));
    }
    return edges;
  }

  @Override
  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    boolean copied = blocks.capacity() != length;
    if (copied) {
      blocks.slice((int) (offset - firstBlock() * block()), (int) length).put(src.slice());
    }
    return session.write(firstBlock(), blocks, fua);
  }
}
