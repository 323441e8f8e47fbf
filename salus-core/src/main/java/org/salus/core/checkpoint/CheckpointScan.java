package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.MalformedException;

/** Reads a checkpoint's file once from front to back. For one file and one thread. */
public final class CheckpointScan {
  private static final int CHUNK = 256 << 10;

  private final LogReader.Source file;
  private final long length;
  private final int blockSize;
  private final CheckpointSink sink;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer buffer;
  private long at;
  private boolean unreadable;
  private String problem;

  /** @param sink takes the content, as far as it is any */
  public CheckpointScan(LogReader.Source file, long length, int blockSize, CheckpointSink sink) {
    this.file = file;
    this.length = length;
    this.blockSize = blockSize;
    this.sink = sink;
    this.buffer = ByteBuffer.allocate(Math.max(CHUNK, blockSize));
  }

  /** Reads all of it; false when that cannot be. */
  public boolean read() {
    try {
      require(take(Integer.BYTES).getInt() == CheckpointWriter.MAGIC + CheckpointWriter.FORMAT);
      long pages = takePages();
      takeTable(pages);
    } catch (MalformedException damaged) {
      problem = "it is malformed before " + at;
    } catch (UnreadableException wrong) {
      problem = wrong.getMessage();
    }
    while (!unreadable && at < length) {
      next((int) Math.min(CHUNK, length - at));
    }
    return !unreadable;
  }

  /** Bytes that could be read. */
  public long end() {
    return at;
  }

  /** CRC32C of what was read. */
  public int crc() {
    return (int) crc.getValue();
  }

  /** What is wrong with the content, or null. */
  public String problem() {
    return problem;
  }

  /** The next bytes; nothing when they cannot be read. */
  private ByteBuffer next(int bytes) {
    buffer.clear().limit(bytes);
    if (!file.read(at, buffer)) {
      unreadable = true;
      return buffer.clear().limit(0);
    }
    crc.update(buffer.flip());
    at += bytes;
    return buffer.rewind();
  }

  private ByteBuffer take(int bytes) throws MalformedException {
    if (bytes > length - at || !next(bytes).hasRemaining()) {
      throw new MalformedException("no " + bytes + " bytes at " + at);
    }
    return buffer;
  }

  private static void require(boolean right) throws MalformedException {
    if (!right) {
      throw new MalformedException("that is not in a checkpoint");
    }
  }

  /** Returns how many there are. */
  private long takePages() throws MalformedException, UnreadableException {
    for (long pages = 0;; pages++) {
      int size = take(Integer.BYTES).getInt();
      if (size == CheckpointWriter.NO_ENTRY) {
        return pages;
      }
      require(size > 0 && size <= CheckpointFile.MOST_ENTRY);
      int sum = take(Integer.BYTES).getInt();
      ByteBuffer rest = take(Long.BYTES + size);
      require(LogRecord.crc(rest) == sum);
      takePage(rest.getLong(), rest);
    }
  }

  private void takePage(long page, ByteBuffer rest) throws MalformedException, UnreadableException {
    PageEntry entry = PageEntry.decode(page, rest);
    sink.addPage(entry);
    for (int slot = 0; !entry.isInSegment() && slot < TreeShape.FANOUT; slot++) {
      if (entry.hasData(slot)) {
        sink.addBlock(page * TreeShape.FANOUT + slot, take(blockSize));
      }
    }
  }

  private void takeTable(long pages) throws MalformedException, UnreadableException {
    CRC32C sum = new CRC32C();
    sum.update(new byte[Integer.BYTES]);
    long tableAt = at - Integer.BYTES;
    for (long i = 0; i < pages; i++) {
      ByteBuffer row = take(CheckpointWriter.ROW);
      sum.update(row.duplicate());
      long page = row.getLong();
      byte[] root = new byte[Hashes.BYTES];
      row.position(row.position() + Long.BYTES).get(root);
      sink.addRoot(page, root);
    }
    ByteBuffer trailer = take(CheckpointWriter.TRAILER);
    int last = LogRecord.crc(trailer.slice(0, CheckpointWriter.TRAILER - Integer.BYTES));
    require(trailer.getInt() == (int) sum.getValue() && trailer.getLong() == tableAt && trailer.getInt() == last && at == length);
  }
}
