package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.log.LogReader;
import org.salus.sim.fault.Levers;

/** One node's replicas of one region's segments and checkpoints, as its DataNode holds them. */
final class SimDisk {
  /** Bytes for which HDFS keeps a checksum. */
  private static final int CHUNK = 512;

  /** A replica: what the DataNode has, and how much of it a power cut leaves. */
  static final class Replica implements LogReader.Source, Levers.LogReplica {
    private byte[] bytes = new byte[1 << 12];
    private int length;
    private int synced;

    /** The epoch that wrote it or recovered it last. */
    int stamp;

    /**
     * What it would be without damage, or null where it has none: what was written is audited, not
     * what became of it.
     */
    private Replica undamaged;

    /** What was written. */
    LogReader.Source written() {
      return undamaged == null ? this : undamaged;
    }

    private void beginDamage() {
      if (undamaged == null) {
        undamaged = new Replica();
        undamaged.set(prefix(length));
      }
    }

    /** Where the replica was cut behind its writer's back, zeros are between. */
    void append(long offset, ByteBuffer b) {
      if (offset < length) {
        throw new IllegalStateException(
            "append at " + offset + " of a replica of " + length + " bytes");
      }
      int end = (int) offset + b.remaining();
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
      }
      Arrays.fill(bytes, length, (int) offset, (byte) 0);
      b.duplicate().get(bytes, (int) offset, b.remaining());
      length = end;
      if (undamaged != null) {
        undamaged.append(offset, b);
      }
    }

    /**
     * A recovery makes it as long as this, of which it takes what it lacks behind what is valid.
     */
    void equalize(byte[] whole, long valid) {
      int had = (int) Math.min(Math.min(length, whole.length), valid);
      length = had;
      if (undamaged != null) {
        undamaged.set(Arrays.copyOf(whole, had));
      }
      append(had, ByteBuffer.wrap(whole, had, whole.length - had));
      synced = length;
    }

    /** What is beyond is gone. */
    @Override
    public void truncate(int n) {
      beginDamage();
      length = Math.min(length, n);
      synced = Math.min(synced, length);
    }

    /** Changes what is stored, length and all that was synced as before. */
    @Override
    public void overwrite(int at, byte[] with) {
      beginDamage();
      System.arraycopy(with, 0, bytes, at, Math.min(with.length, length - at));
    }

    void sync() {
      synced = length;
    }

    void set(byte[] content) {
      bytes = content.clone();
      length = content.length;
      synced = length;
      undamaged = null;
    }

    byte[] prefix(long n) {
      return Arrays.copyOf(bytes, (int) n);
    }

    @Override
    public int length() {
      return length;
    }

    @Override
    public byte[] read(int at, int count) {
      return Arrays.copyOfRange(bytes, at, at + count);
    }

    /**
     * Power is lost: anything between what is synced and what was written may be left, or nothing.
     * HDFS keeps a checksum for each chunk, in another file: where that of the last chunk is
     * already the one of what was to follow, the DataNode drops the chunk, what is synced of it
     * included.
     */
    void cut(boolean all, Random random) {
      int left = all ? synced : synced + random.nextInt(length - synced + 1);
      length = left < length && random.nextBoolean() ? left - left % CHUNK : left;
      synced = Math.min(synced, length);
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

  /**
   * @param all whether all is lost that was not synced
   */
  void powerCut(boolean all, Random random) {
    segments.values().forEach(r -> r.cut(all, random));
  }
}
