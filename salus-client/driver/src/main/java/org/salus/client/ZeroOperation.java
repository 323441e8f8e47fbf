package org.salus.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/** Makes bytes zeros. Whole blocks give their space back; partly covered blocks are rewritten. */
final class ZeroOperation extends Operation<Void> {
  private final boolean fua;

  /** For the first block as it is, when it is zeroed in part; else null. */
  private final ByteBuffer head;

  /** For the last block as it is, when it is zeroed in part and is not the first; else null. */
  private final ByteBuffer tail;

  ZeroOperation(int blockSize, long offset, long length, boolean fua) {
    super(blockSize, offset, length);
    this.fua = fua;
    this.head = keepsHead() ? ByteBuffer.allocate(blockSize) : null;
    this.tail = keepsTail() ? ByteBuffer.allocate(blockSize) : null;
  }

  @Override
  Kind kind() {
    return Kind.ZERO;
  }

  @Override
  long weight() {
    return weight(block());
  }

  /** What any zeroing holds at most, before it is made. */
  static long weight(int blockSize) {
    return OF_REQUEST + 2L * blockSize;
  }

  @Override
  List<CompletableFuture<SessionEffect.Outcome>> prepare(BlockSession session) {
    return readEdges(session, head, tail);
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
    for (CompletableFuture<SessionEffect.Outcome> part : parts.subList(1, parts.size())) {
      all = all.thenCombine(part, ZeroOperation::both);
    }
    return all;
  }

  /** The outcome of two parts. Once one is done, the failure of another leaves doubt. */
  private static SessionEffect.Outcome both(SessionEffect.Outcome a, SessionEffect.Outcome b) {
    SessionEffect.Failed failed =
        a instanceof SessionEffect.Failed f ? f : b instanceof SessionEffect.Failed g ? g : null;
    return failed == null
        ? b
        : new SessionEffect.Failed(failed.id(), failed.why(), isInDoubt(a) || isInDoubt(b));
  }

  private static boolean isInDoubt(SessionEffect.Outcome e) {
    return !(e instanceof SessionEffect.Failed f) || f.inDoubt();
  }

  private static void clear(ByteBuffer b, int from, int to) {
    Arrays.fill(b.array(), from, to, (byte) 0);
  }
}
