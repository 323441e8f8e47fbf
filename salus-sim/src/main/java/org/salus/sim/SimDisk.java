package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.log.LogReader;

/** One node's replicas of one region's segments and checkpoints, as its DataNode holds them. */
final class SimDisk {

  /** A replica: what the DataNode has, and how much of it a power cut leaves. */
  static final class Replica implements LogReader.Source {
    private byte[] bytes = new byte[1 << 12];
    private int length;
    private int synced;

    void append(long offset, ByteBuffer b) {
      if (offset != length) {
        throw new IllegalStateException("append at " + offset + " of a replica of " + length + " bytes");
      }
      if (length + b.remaining() > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(length + b.remaining(), 2 * bytes.length));
      }
      int n = b.remaining();
      b.duplicate().get(bytes, length, n);
      length += n;
    }

    void sync() {
      synced = length;
    }

    void set(byte[] content) {
      bytes = content.clone();
      length = content.length;
      synced = length;
    }

    byte[] prefix(long n) {
      return Arrays.copyOf(bytes, (int) n);
    }

    int length() {
      return length;
    }

    /** Power is lost: anything between what is synced and what was written may be left, or nothing. */
    void cut(boolean all, Random random) {
      length = all ? synced : synced + random.nextInt(length - synced + 1);
    }

    @Override
    public boolean read(long position, ByteBuffer dst) {
      if (position + dst.remaining() > length) {
        return false;
      }
      dst.put(bytes, (int) position, dst.remaining());
      return true;
    }
  }

  final TreeMap<Long, Replica> segments = new TreeMap<>();
  /** Finished checkpoints, all on disk. */
  final TreeMap<Long, SimCheckpoint> checkpoints = new TreeMap<>();

  Replica segment(long n) {
    return segments.computeIfAbsent(n, k -> new Replica());
  }

  /** @param all whether all is lost that was not synced */
  void powerCut(boolean all, Random random) {
    segments.values().forEach(r -> r.cut(all, random));
  }
}
