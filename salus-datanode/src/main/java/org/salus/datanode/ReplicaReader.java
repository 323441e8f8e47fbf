package org.salus.datanode;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one replica of one block by position. Safe for use by many threads. */
public interface ReplicaReader extends AutoCloseable {
  /**
   * Fills as much of the buffer as there is from {@code position} on; the number of bytes, or -1 at
   * or after the end.
   */
  int read(ByteBuffer into, long position) throws IOException;

  /**
   * Fills the buffer without waiting for a disk or a network; false, and anything in the buffer,
   * where that cannot be.
   */
  default boolean readAtOnce(ByteBuffer into, long position) {
    return false;
  }

  /** Bytes in the replica now; grows while the replica is written. */
  long length() throws IOException;

  /** True when the bytes come from the block file of this host: then HDFS checks no checksum. */
  boolean local();

  @Override
  void close() throws IOException;
}
