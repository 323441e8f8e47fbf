package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.salus.core.log.LogReader;
import org.salus.datanode.ReplicaReader;

/** A replica whose every read is dear, read from front to back in large pieces. Not thread-safe. */
final class ReadAhead implements LogReader.Source {
  private static final int WINDOW = 1 << 20;

  private final ReplicaReader replica;
  private final ByteBuffer window = ByteBuffer.allocate(WINDOW).limit(0);
  /** Where the window begins. */
  private long from;

  ReadAhead(ReplicaReader replica) {
    this.replica = replica;
  }

  @Override
  public boolean read(long position, ByteBuffer dst) {
    try {
      for (long at = position; dst.hasRemaining();) {
        if (at < from || at >= from + window.limit()) {
          from = at;
          replica.read(window.clear(), at);
          window.flip();
        }
        int n = (int) Math.min(dst.remaining(), from + window.limit() - at);
        if (n == 0) {
          return false;
        }
        dst.put(window.slice((int) (at - from), n));
        at += n;
      }
      return true;
    } catch (IOException unreadable) {
      window.limit(0);
      return false;
    }
  }
}
