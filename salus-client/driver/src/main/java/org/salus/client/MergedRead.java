package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/** Reads of neighbours that are one request for the session. Not thread-safe. */
final class MergedRead {
  private final List<ReadOperation> reads;
  private boolean over;

  /**
   * @param reads of whole blocks, side by side, in order
   */
  MergedRead(List<ReadOperation> reads) {
    this.reads = reads;
  }

  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    ReadOperation first = reads.get(0);
    ReadOperation last = reads.get(reads.size() - 1);
    ByteBuffer blocks =
        ByteBuffer.allocate((int) (last.endBlock() - first.firstBlock()) * first.block());
    for (ReadOperation r : reads) {
      r.findsIn(blocks.slice((int) (r.offset - first.offset), (int) r.length));
    }
    return session.read(first.firstBlock(), blocks.slice());
  }

  /**
   * Ends what the reads have in common.
   *
   * @return the reads, or none if it ended before
   */
  List<ReadOperation> end() {
    List<ReadOperation> ended = over ? List.of() : reads;
    over = true;
    return ended;
  }
}
