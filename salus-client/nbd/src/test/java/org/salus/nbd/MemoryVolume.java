package org.salus.nbd;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.salus.client.Volume;

/** A sparse volume in memory, for what the bridge itself does. */
class MemoryVolume implements Volume {
  private static final int BLOCK = 4096;
  private final long size;
  private final TreeMap<Long, byte[]> blocks = new TreeMap<>();

  MemoryVolume(long size) {
    this.size = size;
  }

  @Override
  public String name() {
    return "disk0";
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public synchronized CompletableFuture<Void> read(long offset, ByteBuffer dst) {
    for (long at = offset; dst.hasRemaining(); ) {
      int within = (int) (at % BLOCK);
      int n = Math.min(dst.remaining(), BLOCK - within);
      dst.put(blocks.getOrDefault(at / BLOCK, new byte[BLOCK]), within, n);
      at += n;
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletableFuture<Void> write(long offset, ByteBuffer src, boolean fua) {
    for (long at = offset; src.hasRemaining(); ) {
      int within = (int) (at % BLOCK);
      int n = Math.min(src.remaining(), BLOCK - within);
      src.get(blocks.computeIfAbsent(at / BLOCK, k -> new byte[BLOCK]), within, n);
      at += n;
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletableFuture<Void> writeZeroes(long offset, long length, boolean fua) {
    for (long at = offset; at < offset + length; ) {
      int within = (int) (at % BLOCK);
      int n = (int) Math.min(offset + length - at, BLOCK - within);
      if (n == BLOCK) {
        blocks.remove(at / BLOCK);
      } else if (blocks.containsKey(at / BLOCK)) {
        Arrays.fill(blocks.get(at / BLOCK), within, within + n, (byte) 0);
      }
      at += n;
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<Void> flush() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public synchronized CompletableFuture<List<Extent>> extents(long offset, long length) {
    List<Extent> all = new ArrayList<>();
    for (long at = offset; at < offset + length; ) {
      long end = Math.min(offset + length, (at / BLOCK + 1) * BLOCK);
      boolean zero = !blocks.containsKey(at / BLOCK);
      Extent last = all.isEmpty() ? null : all.get(all.size() - 1);
      if (last != null && last.zero() == zero) {
        all.set(all.size() - 1, new Extent(last.offset(), last.length() + end - at, zero));
      } else {
        all.add(new Extent(at, end - at, zero));
      }
      at = end;
    }
    return CompletableFuture.completedFuture(all);
  }

  @Override
  public void close() {}
}
