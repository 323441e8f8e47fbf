package org.salus.regionserver.hbase;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.MalformedException;
import org.salus.datanode.ReplicaReader;

/** A checkpoint in an HFile. Keeps in memory which pages are in it, 8 bytes each. */
final class HFileCheckpoint implements CheckpointReader, AutoCloseable {
  private final HFile.Reader reader;
  private final ReplicaReader replica;
  private final Configuration conf;
  private final String name;
  private final PageCache cache;
  private final long[] pages;

  /** @param name unique among the checkpoints of the cache */
  HFileCheckpoint(HFile.Reader reader, ReplicaReader replica, Configuration conf, String name, PageCache cache) throws UnreadableException {
    this.reader = reader;
    this.name = name;
    this.cache = cache;
    this.replica = replica;
    this.conf = conf;
    long[][] found = {new long[64]};
    int[] n = {0};
    roots((page, hash) -> {
      found[0] = n[0] < found[0].length ? found[0] : Arrays.copyOf(found[0], 2 * n[0]);
      found[0][n[0]++] = page;
    });
    this.pages = Arrays.copyOf(found[0], n[0]);
  }

  @Override
  public PageEntry readPage(long page) throws UnreadableException {
    if (Arrays.binarySearch(pages, page) < 0) {
      return null;
    }
    PageEntry known = cache.get(name, page);
    if (known == null) {
      known = decode(page, value(HFileFormat.pageRow(page)));
      cache.put(name, known);
    }
    return known;
  }

  private static PageEntry decode(long page, byte[] value) throws UnreadableException {
    try {
      return PageEntry.decode(page, value);
    } catch (MalformedException e) {
      throw new UnreadableException("the entry of page " + page + " is malformed", e);
    }
  }

  private byte[] value(byte[] row) throws UnreadableException {
    Cell cell = seek(scanner(), row);
    return CellUtil.cloneValue(cell);
  }

  private HFileScanner scanner() {
    return reader.getScanner(conf, false, true, false);
  }

  private static Cell seek(HFileScanner scanner, byte[] row) throws UnreadableException {
    try {
      if (scanner.seekTo(HFileFormat.key(row)) != 0) {
        throw new UnreadableException("row " + Arrays.toString(row) + " is missing");
      }
      return scanner.getCell();
    } catch (IOException | RuntimeException damaged) { // HBase reports damage in both ways
      throw new UnreadableException("row " + Arrays.toString(row) + " cannot be read: " + damaged.getMessage(), damaged);
    }
  }

  @Override
  public void readBlock(long local, ByteBuffer into) throws UnreadableException {
    Cell cell = seek(scanner(), HFileFormat.blockRow(TreeShape.page(0, local), TreeShape.slot(local)));
    if (cell.getValueLength() > into.remaining()) {
      throw new UnreadableException("block " + local + " has " + cell.getValueLength() + " bytes");
    }
    into.put(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
  }

  @Override
  public Cursor pages() {
    int[] next = {0};
    return () -> next[0] == pages.length ? null : readPage(pages[next[0]++]);
  }

  @Override
  public void roots(RootSink to) throws UnreadableException {
    try {
      HFileScanner scanner = scanner();
      for (boolean more = seekAtOrAfter(scanner, HFileFormat.rootRow(0)); more; more = scanner.next()) {
        Cell cell = scanner.getCell();
        ByteBuffer row = ByteBuffer.wrap(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength());
        to.root(row.position(row.position() + 1).getLong(), CellUtil.cloneValue(cell));
      }
    } catch (IOException | RuntimeException damaged) { // HBase reports damage in both ways
      throw new UnreadableException("the roots cannot be read: " + damaged.getMessage(), damaged);
    }
  }

  /** Goes to the first cell that is not before a row; false when there is none. */
  private static boolean seekAtOrAfter(HFileScanner scanner, byte[] row) throws IOException {
    int found = scanner.seekTo(HFileFormat.key(row));
    if (found == 0 || found == HConstants.INDEX_KEY_MAGIC) {
      return true; // there, or between two blocks, at the beginning of the second
    }
    return found < 0 ? scanner.seekTo() : scanner.next();
  }

  @Override
  public void close() throws IOException {
    reader.close(true);
    replica.close();
  }
}
