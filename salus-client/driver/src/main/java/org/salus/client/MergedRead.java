package org.salus.client;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;
import org.salus.core.session.block.ReadTarget;

/** Reads of neighbouring blocks that go to the session as one request. Not thread-safe. */
final class MergedRead implements ReadTarget {
  private final List<ReadOperation> reads;
  private boolean over;

  /**
   * @param reads reads of whole blocks, side by side, in order
   */
  MergedRead(List<ReadOperation> reads) {
    this.reads = reads;
  }

  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    long first = reads.get(0).firstBlock();
    return session.read(first, reads.get(reads.size() - 1).endBlock() - first, this);
  }

  @Override
  public void put(long at, ByteBuffer block) {
    long offset = reads.get(0).offset + at;
    for (ReadOperation r : over ? List.<ReadOperation>of() : reads) {
      if (offset >= r.offset && offset < r.offset + r.length) {
        r.put(offset - r.offset, block);
      }
    }
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
