package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.List;
import org.salus.core.log.LogReader;
import org.salus.core.tree.TreeShape;

/**
 * A checkpoint together with the log segments that have the data of its blocks. It is as
 * thread-safe as these.
 */
public final class CheckpointWithSegments implements CheckpointReader {

  /** Finds log segments. */
  @FunctionalInterface
  public interface Segments {
    /**
     * The replicas of a segment, best first. Each block is taken from the first replica in which it
     * is right.
     */
    List<? extends LogReader.Source> replicas(long segment) throws UnreadableException;
  }

  private final CheckpointReader checkpoint;
  private final Segments segments;
  private final int blockSize;

  public CheckpointWithSegments(CheckpointReader checkpoint, Segments segments, int blockSize) {
    this.checkpoint = checkpoint;
    this.segments = segments;
    this.blockSize = blockSize;
  }

  @Override
  public boolean has(long local) throws UnreadableException {
    return checkpoint.has(local);
  }

  @Override
  public PageEntry readPage(long page) throws UnreadableException {
    return checkpoint.readPage(page);
  }

  @Override
  public boolean readBlock(long local, ByteBuffer into) throws UnreadableException {
    PageEntry entry = readPage(TreeShape.page(0, local));
    int slot = TreeShape.slot(local);
    if (!entry.isInSegment() || !entry.hasData(slot)) {
      return checkpoint.readBlock(local, into);
    }
    readInSegment(entry, slot, into);
    return true;
  }

  private void readInSegment(PageEntry entry, int slot, ByteBuffer into)
      throws UnreadableException {
    for (LogReader.Source replica : segments.replicas(entry.segment())) {
      ByteBuffer data = into.slice(into.position(), blockSize);
      if (replica.read(entry.offset(slot), data) && entry.isRight(slot, data.flip())) {
        into.position(into.position() + blockSize);
        return;
      }
    }
    throw new UnreadableException(
        "block "
            + (entry.page() * TreeShape.FANOUT + slot)
            + " is in no replica of segment "
            + entry.segment()
            + ", at "
            + entry.offset(slot)
            + ", what was certified");
  }

  @Override
  public long[] pages() throws UnreadableException {
    return checkpoint.pages();
  }

  @Override
  public void roots(RootSink to) throws UnreadableException {
    checkpoint.roots(to);
  }
}
