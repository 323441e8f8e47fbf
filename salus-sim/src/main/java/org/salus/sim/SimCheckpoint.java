package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.TreeMap;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogRecord;
import org.salus.core.wire.Encoder;

/** A checkpoint as a DataNode holds it: content instead of a file's bytes. */
final class SimCheckpoint implements CheckpointReader, CheckpointSink {
  private final TreeMap<Long, PageEntry> pages = new TreeMap<>();
  private final TreeMap<Long, byte[]> blocks = new TreeMap<>();
  private final TreeMap<Long, byte[]> roots = new TreeMap<>();
  private final Encoder bytes = new Encoder(1 << 12);
  private boolean damaged;

  /** Another replica of the same content. */
  SimCheckpoint copy() {
    SimCheckpoint c = new SimCheckpoint();
    c.pages.putAll(pages);
    c.blocks.putAll(blocks);
    c.roots.putAll(roots);
    c.bytes.raw(bytes.toBytes());
    return c;
  }

  /** From now on its checksums do not fit. */
  void damage() {
    damaged = true;
  }

  boolean isDamaged() {
    return damaged;
  }

  private void verify() throws UnreadableException {
    if (damaged) {
      throw new UnreadableException("checksum of a checkpoint's replica does not fit");
    }
  }

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
  public PageEntry readPage(long page) throws UnreadableException {
    verify();
    return pages.get(page);
  }

  @Override
  public void readBlock(long local, ByteBuffer into) throws UnreadableException {
    verify();
    into.put(blocks.get(local));
  }

  @Override
  public Cursor pages() throws UnreadableException {
    verify();
    Iterator<PageEntry> i = pages.values().iterator();
    return () -> i.hasNext() ? i.next() : null;
  }

  @Override
  public void roots(RootSink to) throws UnreadableException {
    verify();
    roots.forEach(to::root);
  }
}
