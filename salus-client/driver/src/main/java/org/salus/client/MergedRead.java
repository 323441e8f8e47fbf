package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/** Reads of neighbouring blocks that go to the session as one request. Not thread-safe. */
final class MergedRead {
  private final List<ReadOperation> reads;
  private boolean over;

  /**
   * @param reads reads of whole blocks, side by side, in order
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
   * Ends the common request; each read then stands for itself.
   *
   * @return the reads, or none when it had ended before
   */
  List<ReadOperation> end() {
    List<ReadOperation> ended = over ? List.of() : reads;
    over = true;
    return ended;
  }
}
