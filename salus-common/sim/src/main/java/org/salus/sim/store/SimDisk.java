package org.salus.sim.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.TreeMap;
import org.salus.core.log.LogReader;
import org.salus.sim.fault.Levers;

/** One node's replicas of one region's segments and checkpoints, as its DataNode holds them. */
public final class SimDisk {
  /** The bytes that one checksum of HDFS covers. */
  private static final int CHUNK = 512;

  /** A replica: the bytes that the DataNode has, and how many of them survive a power cut. */
  public static final class Replica implements LogReader.Source, Levers.LogReplica {
    private byte[] bytes = new byte[1 << 12];
    private int length;
    private int synced;

    /** The generation stamp under which it was written or recovered last. */
    public long stamp;

    /**
     * The replica as it would be without damage, or null if it has none. Checkers look at what was
     * written, not at what damage made of it.
     */
    private Replica undamaged;

    /** The bytes as they were written, without damage. */
    public LogReader.Source written() {
      return undamaged == null ? this : undamaged;
    }

    private void beginDamage() {
      if (undamaged == null) {
        undamaged = new Replica();
        undamaged.set(prefix(length));
      }
    }

    /** Appends bytes. If the replica was cut behind its writer's back, zeros fill the gap. */
    public void append(long offset, ByteBuffer b) {
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
     * Makes the replica equal to {@code whole}, as a recovery does. Only bytes behind the valid
     * ones are replaced.
     */
    public void equalize(byte[] whole, long valid) {
      int had = (int) Math.min(Math.min(length, whole.length), valid);
      length = had;
      if (undamaged != null) {
        undamaged.set(Arrays.copyOf(whole, had));
      }
      append(had, ByteBuffer.wrap(whole, had, whole.length - had));
      synced = length;
    }

    /** Cuts the replica to at most {@code end} bytes, as a recovery does. */
    public void cutTo(long end) {
      length = (int) Math.min(length, end);
      synced = length;
      if (undamaged != null) {
        undamaged.length = Math.min(undamaged.length, length);
      }
    }

    /** Cuts the replica to at most {@code n} bytes. */
    @Override
    public void truncate(int n) {
      beginDamage();
      length = Math.min(length, n);
      synced = Math.min(synced, length);
    }

    /** Overwrites stored bytes. The length stays, and so does what counts as synced. */
    @Override
    public void overwrite(int at, byte[] with) {
      beginDamage();
      System.arraycopy(with, 0, bytes, at, Math.min(with.length, length - at));
    }

    public void sync() {
      synced = length;
    }

    public void set(byte[] content) {
      bytes = content.clone();
      length = content.length;
      synced = length;
      undamaged = null;
    }

    public byte[] prefix(long n) {
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
     * Loses power. Any part of what was written but not synced may be left, or none. HDFS keeps a
     * chunk's checksum in another file. If the last chunk's checksum already covers bytes that are
     * lost, the DataNode drops the whole chunk, synced bytes included.
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

  public final TreeMap<Long, Replica> segments = new TreeMap<>();

  /** The finished checkpoints, all on disk. */
  public final TreeMap<Long, SimCheckpoint> checkpoints = new TreeMap<>();

  public Replica segment(long n) {
    return segments.computeIfAbsent(n, k -> new Replica());
  }

  /**
   * @param all whether everything that was not synced is lost
   */
  public void powerCut(boolean all, Random random) {
    segments.values().forEach(r -> r.cut(all, random));
  }
}
