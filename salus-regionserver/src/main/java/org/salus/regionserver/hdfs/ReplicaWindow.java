package org.salus.regionserver.hdfs;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.salus.core.log.LogReader;
import org.salus.datanode.ReplicaReader;
import org.salus.datanode.hdfs.replica.LocalReplicaReader;

/** Reads a replica from front to back in large pieces, no faster than it may. For one thread. */
final class ReplicaWindow implements LogReader.Source {
  private static final int BYTES = 1 << 20;

  private final ReplicaReader replica;
  private final ReplicaScrub.Pace pace;
  private final ByteBuffer window;
  private long start;
  private IOException failure;
  private boolean sumsAreRight = true;

  ReplicaWindow(ReplicaReader replica, ReplicaScrub.Pace pace, ByteBuffer window) {
    this.replica = replica;
    this.pace = pace;
    this.window = window.clear().limit(0);
  }

  /** Memory for windows, one at a time. */
  static ByteBuffer memory() {
    int unit = LocalReplicaReader.DIRECT_UNIT;
    return ByteBuffer.allocateDirect(BYTES + unit).alignedSlice(unit).limit(BYTES).slice();
  }

  /** Why the replica could not be read, or null. */
  IOException failure() {
    return failure;
  }

  /** Whether HDFS's own checksums of what was read are right, as far as the reader knows them. */
  boolean sumsAreRight() {
    return sumsAreRight;
  }

  @Override
  public boolean read(long position, ByteBuffer dst) {
    long at = position;
    while (dst.hasRemaining()) {
      if ((at < start || at >= start + window.limit()) && !load(at - at % BYTES)
          || at >= start + window.limit()) {
        return false;
      }
      int from = (int) (at - start);
      int n = Math.min(dst.remaining(), window.limit() - from);
      dst.put(window.slice(from, n));
      at += n;
    }
    return true;
  }

  private boolean load(long from) {
    window.clear();
    start = from;
    try {
      pace.take(BYTES);
      int n = 0;
      while (window.hasRemaining() && n >= 0) {
        n = replica.read(window, from + window.position());
        if (window.position() % LocalReplicaReader.DIRECT_UNIT != 0) {
          break; // the end: nothing comes behind an odd piece
        }
      }
      window.flip();
      sumsAreRight &=
          !(replica instanceof LocalReplicaReader local) || local.sumsAreRight(window, from);
      return window.hasRemaining();
    } catch (IOException e) {
      failure = e;
      window.limit(0);
      return false;
    }
  }
}
