package org.salus.core.checkpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.MalformedException;

/**
 * A checkpoint's file, open for reading. It keeps in memory which blocks of which pages are in it,
 * and where: 32 bytes a page. It is as thread-safe as its source.
 */
public final class CheckpointFile implements CheckpointReader {
  /** The greatest length of a page's entry, in bytes. */
  static final int MOST_ENTRY =
      Hashes.BYTES + 3 * Long.BYTES + TreeShape.FANOUT * (Hashes.BYTES + Integer.BYTES);

  private final String name;
  private final LogReader.Source file;
  private final int blockSize;
  private final PageCache cache;
  private final long tableAt;
  private final int tableBytes;
  private final int tableSum;
  private final long[] pages;
  private final long[] entries;

  /** A bit for each block that a page has, two words a page. */
  private final long[] blocks;

  /**
   * The format of the checkpoint that begins with these bytes, or -1 where none begins.
   *
   * @param first at least four bytes
   */
  public static int format(ByteBuffer first) {
    int format = first.getInt(first.position()) - CheckpointWriter.MAGIC;
    return format >= 0 && format <= 9 ? format : -1;
  }

  /**
   * Opens a file.
   *
   * @param name unique among the files of the cache
   * @param length the file's length in bytes
   * @throws UnreadableException if the file is no checkpoint, or is damaged
   */
  public CheckpointFile(
      String name, LogReader.Source file, long length, int blockSize, PageCache cache)
      throws UnreadableException {
    this.name = name;
    this.file = file;
    this.blockSize = blockSize;
    this.cache = cache;
    int format = format(read(0, Integer.BYTES));
    require(format >= 0, "it does not begin as a checkpoint does");
    require(
        format == CheckpointWriter.FORMAT,
        "it was written in format "
            + format
            + ", this program reads "
            + CheckpointWriter.FORMAT
            + "; use the version of Salus that wrote it");
    ByteBuffer trailer = read(length - CheckpointWriter.TRAILER, CheckpointWriter.TRAILER);
    int sum = LogRecord.crc(trailer.slice(0, CheckpointWriter.TRAILER - Integer.BYTES));
    this.tableSum = trailer.getInt();
    this.tableAt = trailer.getLong();
    require(trailer.getInt() == sum, "it does not end as a checkpoint does");
    this.tableBytes = (int) (length - CheckpointWriter.TRAILER - tableAt);
    ByteBuffer table = table();
    this.pages = new long[table.remaining() / CheckpointWriter.ROW];
    this.entries = new long[pages.length];
    this.blocks = new long[2 * pages.length];
    for (int i = 0; i < pages.length; i++) {
      pages[i] = table.getLong();
      entries[i] = table.getLong();
      blocks[2 * i] = table.getLong();
      blocks[2 * i + 1] = table.getLong();
      table.position(table.position() + Hashes.BYTES);
    }
  }

  private CheckpointFile(CheckpointFile opened, LogReader.Source file) {
    this.name = opened.name;
    this.file = file;
    this.blockSize = opened.blockSize;
    this.cache = opened.cache;
    this.tableAt = opened.tableAt;
    this.tableBytes = opened.tableBytes;
    this.tableSum = opened.tableSum;
    this.pages = opened.pages;
    this.entries = opened.entries;
    this.blocks = opened.blocks;
  }

  /** The same file, read from another source. */
  public CheckpointFile readFrom(LogReader.Source same) {
    return new CheckpointFile(this, same);
  }

  private void require(boolean right, String problem) throws UnreadableException {
    if (!right) {
      throw new UnreadableException(name + ": " + problem);
    }
  }

  private ByteBuffer read(long position, int bytes) throws UnreadableException {
    ByteBuffer into = ByteBuffer.allocate(bytes);
    require(
        position >= 0 && file.read(position, into),
        "its bytes from " + position + " on cannot be read");
    return into.flip();
  }

  /** The rows of the table, read and checked. */
  private ByteBuffer table() throws UnreadableException {
    ByteBuffer table = read(tableAt, tableBytes);
    require(LogRecord.crc(table) == tableSum, "its table of pages is damaged");
    return table.position(Integer.BYTES);
  }

  @Override
  public boolean has(long local) {
    int i = Arrays.binarySearch(pages, TreeShape.page(0, local));
    return i >= 0 && PageEntry.isSet(blocks, i * TreeShape.FANOUT + TreeShape.slot(local));
  }

  @Override
  public PageEntry readPage(long page) throws UnreadableException {
    int i = Arrays.binarySearch(pages, page);
    if (i < 0) {
      return null;
    }
    PageEntry known = cache.get(name, page);
    if (known == null) {
      known = readEntry(page, entries[i]);
      cache.put(name, known);
    }
    return known;
  }

  private PageEntry readEntry(long page, long at) throws UnreadableException {
    ByteBuffer entry = read(at, (int) Math.min(CheckpointWriter.HEAD + MOST_ENTRY, tableAt - at));
    int length = entry.getInt();
    int crc = entry.getInt();
    require(
        length > 0 && length <= entry.remaining() - Long.BYTES,
        "the entry of page " + page + " is damaged");
    entry.limit(entry.position() + Long.BYTES + length);
    require(
        LogRecord.crc(entry) == crc && entry.getLong() == page,
        "the entry of page " + page + " is damaged");
    return decode(page, entry);
  }

  private PageEntry decode(long page, ByteBuffer entry) throws UnreadableException {
    try {
      return PageEntry.decode(page, entry);
    } catch (MalformedException e) {
      throw new UnreadableException(name + ": the entry of page " + page + " is malformed", e);
    }
  }

  @Override
  public boolean readBlock(long local, ByteBuffer into) throws UnreadableException {
    long page = TreeShape.page(0, local);
    int slot = TreeShape.slot(local);
    PageEntry entry = readPage(page);
    if (!entry.hasData(slot)) {
      require(
          entry.has(slot),
          "the entry of page " + page + " does not have block " + local + ", which the table says");
      return false;
    }
    long data =
        entries[Arrays.binarySearch(pages, page)] + CheckpointWriter.HEAD + entry.encodedBytes();
    ByteBuffer block = into.slice(into.position(), blockSize);
    if (!file.read(data + (long) entry.dataBefore(slot) * blockSize, block)
        || !entry.isRight(slot, block.flip())) {
      throw new UnreadableException(name + ": block " + local + " is not what was certified");
    }
    into.position(into.position() + blockSize);
    return true;
  }

  @Override
  public long[] pages() {
    return pages;
  }

  @Override
  public void roots(RootSink to) throws UnreadableException {
    ByteBuffer table = table();
    while (table.hasRemaining()) {
      long page = table.getLong();
      byte[] root = new byte[Hashes.BYTES];
      table.position(table.position() + 3 * Long.BYTES).get(root);
      to.root(page, root);
    }
  }
}
