package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.Encoder;

/** Writes one checkpoint's file. The same content gives the same bytes. Not thread-safe. */
public final class CheckpointWriter implements CheckpointSink {
  /** The format of the files that this program writes and reads. */
  public static final int FORMAT = 2;

  /** The first bytes of a file, but for the digit of the format. */
  static final int MAGIC = 0x53414330;

  /** Bytes before a page's entry: its length, the CRC32C of the rest, the page. */
  static final int HEAD = 2 * Integer.BYTES + Long.BYTES;

  /** Stands in place of an entry's length where the table begins. */
  static final int NO_ENTRY = 0;

  /** Bytes of a row of the table of pages: the page, its entry's position, its blocks, its root. */
  static final int ROW = 4 * Long.BYTES + Hashes.BYTES;

  /** Bytes after the table: its CRC32C, its position, the CRC32C of both. */
  static final int TRAILER = Integer.BYTES + Long.BYTES + Integer.BYTES;

  /** Takes the file's bytes in order. */
  @FunctionalInterface
  public interface Output {
    /**
     * @param bytes the buffer, which may change after the call
     */
    void write(byte[] bytes, int from, int count) throws UnreadableException;
  }

  private final Output out;
  private final Encoder table = new Encoder(1 << 12).i32(NO_ENTRY);
  private long at;

  public CheckpointWriter(Output out) throws UnreadableException {
    this.out = out;
    write(new Encoder(Integer.BYTES).i32(MAGIC + FORMAT).toBytes());
  }

  /** The length of the file that has all blocks of a region, in bytes. */
  public static long mostBytes(long blocks, int blockSize) {
    long pages = (blocks + TreeShape.FANOUT - 1) / TreeShape.FANOUT;
    return Integer.BYTES
        + blocks * (blockSize + Hashes.BYTES)
        + pages * (HEAD + PageEntry.FIXED + ROW)
        + Integer.BYTES
        + TRAILER;
  }

  @Override
  public void addPage(PageEntry entry) throws UnreadableException {
    addRow(table, entry, at);
    byte[] rest = new Encoder(1 << 10).i64(entry.page()).raw(entry.encode()).toBytes();
    write(
        new Encoder(HEAD)
            .i32(rest.length - Long.BYTES)
            .i32(LogRecord.crc(ByteBuffer.wrap(rest)))
            .toBytes());
    write(rest);
  }

  @Override
  public void addBlock(long local, ByteBuffer data) throws UnreadableException {
    write(data.array(), data.arrayOffset() + data.position(), data.remaining());
  }

  /** Appends the table's row for a page whose entry begins at {@code at}. */
  static void addRow(Encoder table, PageEntry entry, long at) {
    table.i64(entry.page()).i64(at).i64(entry.blocks(0)).i64(entry.blocks(1)).raw(entry.root());
  }

  /** Ends the file after all content. */
  public void finish() throws UnreadableException {
    byte[] pages = table.toBytes();
    long begin = at;
    write(pages);
    Encoder trailer = new Encoder(TRAILER).i32(LogRecord.crc(ByteBuffer.wrap(pages))).i64(begin);
    write(trailer.i32(LogRecord.crc(ByteBuffer.wrap(trailer.toBytes()))).toBytes());
  }

  private void write(byte[] bytes) throws UnreadableException {
    write(bytes, 0, bytes.length);
  }

  private void write(byte[] bytes, int from, int count) throws UnreadableException {
    out.write(bytes, from, count);
    at += count;
  }
}
