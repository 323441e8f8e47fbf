package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.TreeMap;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.log.LogRecord;
import org.salus.core.wire.Encoder;

/** A checkpoint as a DataNode holds it: content instead of a file's bytes. */
final class SimCheckpoint implements CheckpointReader, CheckpointSink {
  private final TreeMap<Long, PageEntry> pages = new TreeMap<>();
  private final TreeMap<Long, byte[]> blocks = new TreeMap<>();
  private final TreeMap<Long, byte[]> roots = new TreeMap<>();
  private final Encoder bytes = new Encoder(1 << 12);

  @Override
  public void addPage(PageEntry entry) {
    pages.put(entry.page(), entry);
    bytes.i64(entry.page()).bytes(entry.encode());
  }

  @Override
  public void addBlock(long local, ByteBuffer data) {
    byte[] copy = new byte[data.remaining()];
    data.duplicate().get(copy);
    blocks.put(local, copy);
    bytes.i64(local).bytes(copy);
  }

  @Override
  public void addRoot(long page, byte[] hash) {
    roots.put(page, hash);
    bytes.i64(page).raw(hash);
  }

  long length() {
    return bytes.size();
  }

  int crc() {
    return LogRecord.crc(ByteBuffer.wrap(bytes.toBytes()));
  }

  // ---- reading ----

  @Override
  public PageEntry readPage(long page) {
    return pages.get(page);
  }

  @Override
  public void readBlock(long local, ByteBuffer into) {
    into.put(blocks.get(local));
  }

  @Override
  public Cursor pages() {
    Iterator<PageEntry> i = pages.values().iterator();
    return () -> i.hasNext() ? i.next() : null;
  }

  @Override
  public void roots(RootSink to) {
    roots.forEach(to::root);
  }
}
