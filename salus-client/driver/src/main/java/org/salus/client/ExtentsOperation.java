package org.salus.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.salus.core.effect.SessionEffect;

/** Finds out which bytes read as zeros. */
final class ExtentsOperation extends Operation<List<Volume.Extent>> {
  private final List<Volume.Extent> extents = new ArrayList<>();

  ExtentsOperation(int blockSize, long offset, long length) {
    super(blockSize, offset, length);
  }

  @Override
  Kind kind() {
    return Kind.EXTENTS;
  }

  @Override
  boolean changes() {
    return false;
  }

  @Override
  CompletableFuture<SessionEffect.Outcome> issue(BlockSession session) {
    return session.zeroMap(firstBlock(), endBlock() - firstBlock());
  }

  @Override
  void done(SessionEffect.Outcome e) {
    long from = firstBlock() * block();
    for (SessionEffect.Run run : ((SessionEffect.ZeroMap) e).runs()) {
      long to = from + run.blocks() * block();
      long first = Math.max(from, offset);
      extents.add(new Volume.Extent(first, Math.min(to, offset + length) - first, run.zero()));
      from = to;
    }
  }

  @Override
  List<Volume.Extent> value() {
    return List.copyOf(extents);
  }
}
