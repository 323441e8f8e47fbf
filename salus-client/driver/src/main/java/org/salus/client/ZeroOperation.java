package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/** Makes bytes zeros. Whole blocks give their space back; partly covered blocks are rewritten. */
final class ZeroOperation extends Operation {
  private final boolean fua;

  /** The first block when it is zeroed in part; else null. */
  private ByteBuffer head;

  /** The last block when it is zeroed in part and is not the first; else null. */
  private ByteBuffer tail;

  ZeroOperation(int blockSize, long offset, long length, boolean fua) {
    super(blockSize, offset, length);
    this.fua = fua;
  }

  @Override
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    List<CompletableFuture<SessionEffect.Outcome>> edges = new ArrayList<>();
    boolean one = endBlock() - firstBlock() == 1;
    boolean tailless = (offset + length) % block() != 0;
    if (offset % block() != 0 || one && tailless) {
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
    long first = firstBlock() + (head == null ? 0 : 1);
    long end = endBlock() - (tail == null ? 0 : 1);
    List<CompletableFuture<SessionEffect.Outcome>> parts = new ArrayList<>();
    if (head != null) {
      long from = offset - firstBlock() * block();
      clear(head, (int) from, (int) Math.min(block(), from + length));
      parts.add(session.write(firstBlock(), head, fua));
    }
    if (first < end) {
      parts.add(session.zero(first, end - first, fua));
    }
    if (tail != null) {
      clear(tail, 0, (int) (offset + length - (endBlock() - 1) * block()));
      parts.add(session.write(endBlock() - 1, tail, fua));
    }
    CompletableFuture<SessionEffect.Outcome> all = parts.get(0);
    for (CompletableFuture<SessionEffect.Outcome> part : parts) {
      all = all.thenCombine(part, (a, b) -> a instanceof SessionEffect.Failed ? a : b);
    }
    return all;
  }

  private static void clear(ByteBuffer b, int from, int to) {
    b.slice(from, to - from).put(new byte[to - from]);
  }
}
