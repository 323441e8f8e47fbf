package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.Encoder;
import org.salus.core.wire.MalformedException;

/** Reads one checkpoint's file once, from front to back. Not thread-safe. */
public final class CheckpointScan {
  private static final int CHUNK = 256 << 10;

  private final LogReader.Source file;
  private final long length;
  private final int blockSize;
  private final CheckpointSink sink;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer buffer;

  /** The table that the file must have, going by its content. */
  private final Encoder table = new Encoder(1 << 12).i32(CheckpointWriter.NO_ENTRY);

  private long at;
  private boolean unreadable;
  private String problem;

  /**
   * @param sink takes the content, as far as it can be read
   */
  public CheckpointScan(LogReader.Source file, long length, int blockSize, CheckpointSink sink) {
    this.file = file;
    this.length = length;
    this.blockSize = blockSize;
    this.sink = sink;
    this.buffer = ByteBuffer.allocate(Math.max(CHUNK, blockSize));
  }

  /** Reads the whole file. Returns false if that is not possible. */
  public boolean read() {
    try {
      require(take(Integer.BYTES).getInt() == CheckpointWriter.MAGIC + CheckpointWriter.FORMAT);
      takePages();
      takeTable();
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

  /** The number of bytes that could be read. */
  public long end() {
    return at;
  }

  /** CRC32C of what was read. */
  public int crc() {
    return (int) crc.getValue();
  }

  /** The first thing that is wrong with the content, or null. */
  public String problem() {
    return problem;
  }

  /** The next bytes; empty if they cannot be read. */
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

  private void takePages() throws MalformedException, UnreadableException {
    for (; ; ) {
      long begin = at;
      int size = take(Integer.BYTES).getInt();
      if (size == CheckpointWriter.NO_ENTRY) {
        return;
      }
      require(size > 0 && size <= CheckpointFile.MOST_ENTRY);
      int sum = take(Integer.BYTES).getInt();
      ByteBuffer rest = take(Long.BYTES + size);
      require(LogRecord.crc(rest) == sum);
      takePage(begin, rest.getLong(), rest);
    }
  }

  private void takePage(long begin, long page, ByteBuffer rest)
      throws MalformedException, UnreadableException {
    PageEntry entry = PageEntry.decode(page, rest);
    CheckpointWriter.addRow(table, entry, begin);
    sink.addPage(entry);
    for (int slot = 0; !entry.isInSegment() && slot < TreeShape.FANOUT; slot++) {
      if (entry.hasData(slot)) {
        sink.addBlock(page * TreeShape.FANOUT + slot, take(blockSize));
      }
    }
  }

  private void takeTable() throws MalformedException, UnreadableException {
    long tableAt = at - Integer.BYTES;
    ByteBuffer expected = ByteBuffer.wrap(table.toBytes());
    int sum = LogRecord.crc(expected);
    for (expected.getInt();
        expected.hasRemaining();
        expected.position(expected.position() + CheckpointWriter.ROW)) {
      if (!take(CheckpointWriter.ROW)
          .equals(expected.slice(expected.position(), CheckpointWriter.ROW))) {
        throw new UnreadableException(
            "what the table says of page " + expected.getLong() + " is not so");
      }
    }
    ByteBuffer trailer = take(CheckpointWriter.TRAILER);
    int last = LogRecord.crc(trailer.slice(0, CheckpointWriter.TRAILER - Integer.BYTES));
    require(
        trailer.getInt() == sum
            && trailer.getLong() == tableAt
            && trailer.getInt() == last
            && at == length);
  }
}
