package org.salus.core.checkpoint;

import java.nio.ByteBuffer;

/**
 * A checkpoint with several replicas. It asks one replica after the other, until one of them can
 * answer.
 */
public abstract class ReplicatedReader implements CheckpointReader {
  /** A question to one replica, which may be repeated to the next. */
  @FunctionalInterface
  public interface Question<T> {
    T ask(CheckpointReader replica) throws UnreadableException;
  }

  /**
   * Asks one replica after the other.
   *
   * @throws UnreadableException if no replica can answer
   */
  protected abstract <T> T ask(Question<T> question) throws UnreadableException;

  @Override
  public final boolean has(long local) throws UnreadableException {
    return ask(replica -> replica.has(local));
  }

  @Override
  public final PageEntry readPage(long page) throws UnreadableException {
    return ask(replica -> replica.readPage(page));
  }

  @Override
  public final boolean readBlock(long local, ByteBuffer into) throws UnreadableException {
    int start = into.position();
    return ask(
        replica -> {
          into.position(start);
          return replica.readBlock(local, into);
        });
  }

  @Override
  public final long[] pages() throws UnreadableException {
    return ask(CheckpointReader::pages);
  }

  @Override
  public final void roots(RootSink to) throws UnreadableException {
    ask(
        replica -> {
          replica.roots(to);
          return null;
        });
  }
}
