package org.salus.regionserver.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.tree.TreeShape;

/** Appends a checkpoint's content to an HFile. */
final class HFileSink implements CheckpointSink {
  private final HFile.Writer writer;

  HFileSink(HFile.Writer writer) {
    this.writer = writer;
  }

  private void append(byte[] row, ByteBuffer value) throws UnreadableException {
    try {
      writer.append(HFileFormat.cell(row, value));
    } catch (IOException failed) {
      throw new UnreadableException("the checkpoint cannot be written: " + failed.getMessage(), failed);
    }
  }

  @Override
  public void addPage(PageEntry entry) throws UnreadableException {
    append(HFileFormat.pageRow(entry.page()), ByteBuffer.wrap(entry.encode()));
  }

  @Override
  public void addBlock(long local, ByteBuffer data) throws UnreadableException {
    append(HFileFormat.blockRow(TreeShape.page(0, local), TreeShape.slot(local)), data);
  }

  @Override
  public void addRoot(long page, byte[] hash) throws UnreadableException {
    append(HFileFormat.rootRow(page), ByteBuffer.wrap(hash));
  }
}
