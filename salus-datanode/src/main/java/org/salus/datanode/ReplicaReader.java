package org.salus.datanode;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one replica of one HDFS block by position. Thread-safe. */
public interface ReplicaReader extends AutoCloseable {
  /**
   * Fills the buffer from {@code position} on, as far as the replica goes. May block.
   *
   * @param position in bytes, from 0
   * @return the number of bytes, or -1 at or after the end
   * @throws IOException when the replica cannot be read
   */
  int read(ByteBuffer into, long position) throws IOException;

  /**
   * Fills the buffer without waiting for a disk or a network. If that is not possible, it returns
   * false and the buffer's content is undefined.
   */
  default boolean readAtOnce(ByteBuffer into, long position) {
    return false;
  }

  /** The replica's length in bytes now. It grows while the replica is written. */
  long length() throws IOException;

  /**
   * Whether the bytes come from a block file on this machine, in which case HDFS checks no
   * checksum.
   */
  boolean local();

  @Override
  void close() throws IOException;
}
