package org.salus.sim.store;

import java.nio.ByteBuffer;
import java.util.Random;
import org.salus.core.checkpoint.CheckpointFile;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.PageCache;
import org.salus.core.checkpoint.PageEntry;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogRecord;

/** A replica of a checkpoint on a DataNode. */
public final class SimCheckpoint implements CheckpointReader {
  private final byte[] bytes;
  private final int blockSize;
  private final PageCache cache = new PageCache();

  /** The open file, or null while it is not open. */
  private CheckpointFile file;

  private boolean damaged;

  public SimCheckpoint(byte[] bytes, int blockSize) {
    this.bytes = bytes;
    this.blockSize = blockSize;
  }

  /** Another replica of the same content. */
  public SimCheckpoint copy() {
    return new SimCheckpoint(bytes.clone(), blockSize);
  }

  /** Flips a bit. */
  public void damage(Random random) {
    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
    damaged = true;
    file = null;
  }

  /** Whether HDFS's checksums of this replica do not match. */
  public boolean isDamaged() {
    return damaged;
  }

  public long length() {
    return bytes.length;
  }

  public int crc() {
    return LogRecord.crc(ByteBuffer.wrap(bytes));
  }

  private boolean read(long position, ByteBuffer into) {
    if (position + into.remaining() > bytes.length) {
      return false;
    }
    into.put(bytes, (int) position, into.remaining());
    return true;
  }

  private CheckpointFile file() throws UnreadableException {
    if (file == null) {
      file = new CheckpointFile("a replica", this::read, bytes.length, blockSize, cache);
    }
    return file;
  }

  @Override
  public boolean has(long local) throws UnreadableException {
    return file().has(local);
  }

  @Override
  public PageEntry readPage(long page) throws UnreadableException {
    return file().readPage(page);
  }

  @Override
  public boolean readBlock(long local, ByteBuffer into) throws UnreadableException {
    return file().readBlock(local, into);
  }

  @Override
  public long[] pages() throws UnreadableException {
    return file().pages();
  }

  @Override
  public void roots(RootSink to) throws UnreadableException {
    file().roots(to);
  }
}
