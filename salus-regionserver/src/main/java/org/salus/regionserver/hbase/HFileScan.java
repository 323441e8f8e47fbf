package org.salus.regionserver.hbase;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.salus.core.checkpoint.CheckpointSink;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogReader;
import org.salus.core.tree.TreeShape;
import org.salus.core.wire.MalformedException;

/**
 * Reads a checkpoint's file once from front to back, in HBase's format but without HBase, which would go to and fro. For one
 * file and one thread.
 */
public final class HFileScan {
  private static final long DATA = magic("DATABLK*");
  private static final long TRAILER = magic("TRABLK\"$");
  /** Bytes of a block's header, and where in it the length of what follows and that of header and data are. */
  private static final int HEADER = 33;
  private static final int LENGTH_AT = 8;
  private static final int DATA_END_AT = 29;
  private static final int CHUNK = 256 << 10;

  private final LogReader.Source file;
  private final long length;
  private final CheckpointSink sink;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
  private long at;
  private String problem;

  /** @param sink takes the content, as far as it is any */
  public HFileScan(LogReader.Source file, long length, CheckpointSink sink) {
    this.file = file;
    this.length = length;
    this.sink = sink;
  }

  private static long magic(String name) {
    long magic = 0;
    for (char c : name.toCharArray()) {
      magic = magic << 8 | c;
    }
    return magic;
  }

  /** Reads all of it; false when that cannot be. */
  public boolean read() {
    boolean inBlocks = true;
    while (at < length) {
      int size = inBlocks ? blockSize() : -1;
      inBlocks = size >= 0;
      buffer.clear().limit(inBlocks ? size : (int) Math.min(CHUNK, length - at));
      if (!file.read(at, buffer)) {
        return false;
      }
      crc.update(buffer.flip());
      buffer.rewind();
      at += buffer.limit();
      if (inBlocks && buffer.getLong(0) == DATA && problem == null) {
        takeCells();
      }
    }
    return true;
  }

  /** Bytes that could be read. */
  public long end() {
    return at;
  }

  /** CRC32C of what was read. */
  public int crc() {
    return (int) crc.getValue();
  }

  /** What is wrong with the content, as the sink or the format says, or null. */
  public String problem() {
    return problem;
  }

  /** The size of the block that begins here, -1 when none does that fits. */
  private int blockSize() {
    buffer.clear().limit((int) Math.min(HEADER, length - at));
    if (buffer.limit() < HEADER || !file.read(at, buffer) || buffer.getLong(0) == TRAILER) {
      return -1;
    }
    long size = HEADER + (long) buffer.getInt(LENGTH_AT);
    return size >= HEADER && size <= Math.min(CHUNK, length - at) ? (int) size : -1;
  }

  private void takeCells() {
    try {
      buffer.limit(Math.min(buffer.limit(), Math.max(HEADER, buffer.getInt(DATA_END_AT)))).position(HEADER);
      while (buffer.hasRemaining()) {
        int keyLength = buffer.getInt();
        int valueLength = buffer.getInt();
        ByteBuffer key = next(keyLength);
        ByteBuffer value = next(valueLength);
        takeCell(key.slice(Short.BYTES, key.getShort()), value);
      }
    } catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException | MalformedException damaged) {
      problem = "it is malformed before " + at;
    } catch (UnreadableException wrong) {
      problem = wrong.getMessage();
    }
  }

  private ByteBuffer next(int bytes) {
    ByteBuffer part = buffer.slice(buffer.position(), bytes);
    buffer.position(buffer.position() + bytes);
    return part;
  }

  private void takeCell(ByteBuffer row, ByteBuffer value) throws UnreadableException, MalformedException {
    boolean isRoot = row.get() == 1;
    long page = row.getLong();
    if (isRoot) {
      sink.addRoot(page, bytes(value));
      return;
    }
    int slot = Byte.toUnsignedInt(row.get()) - 1;
    if (slot < 0) {
      sink.addPage(PageEntry.decode(page, bytes(value)));
    } else {
      sink.addBlock(page * TreeShape.FANOUT + slot, value);
    }
  }

  private static byte[] bytes(ByteBuffer value) {
    byte[] b = new byte[value.remaining()];
    value.get(b);
    return b;
  }
}
