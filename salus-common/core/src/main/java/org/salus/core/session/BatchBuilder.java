package org.salus.core.session;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Put;
import org.salus.core.tree.Hashes;
import org.salus.core.tree.SessionTree;

/** Gathers PUTs, by region, into one batch and updates the volume tree with them. */
final class BatchBuilder {

  private static final class Gathered {
    /** Where a block's PUT is in {@code puts} and {@code data}. */
    private record Place(int put, int data) {}

    final List<Put> puts = new ArrayList<>();
    final List<ByteBuffer> data = new ArrayList<>();

    /** The blocks whose newest change in this batch is a PUT of data. */
    final TreeMap<Long, Place> written = new TreeMap<>();
  }

  private final SessionContext c;
  private final long first;
  private final Map<Integer, Gathered> regions = new TreeMap<>();
  private long next;
  private int bytes;
  private boolean sync;

  BatchBuilder(SessionContext c, long first) {
    this.c = c;
    this.first = first;
    this.next = first;
  }

  boolean isEmpty() {
    return next == first;
  }

  boolean isFull() {
    return next - first >= c.config.maxBatchPuts()
        || bytes + c.spec.blockSize() > c.spec.maxBatchBytes();
  }

  Iterable<Integer> regions() {
    return regions.keySet();
  }

  long lastSeq() {
    return next - 1;
  }

  /**
   * Makes the batch a synced one, together with what these regions hold. A prefix is only as
   * durable as all of it.
   */
  void sync(Iterable<Integer> unsynced) {
    unsynced.forEach(r -> regions.computeIfAbsent(r, k -> new Gathered()));
    sync = true;
  }

  /**
   * Adds one block of data. If the batch has data for the block already, this takes its place: a
   * batch takes effect as a whole, so nobody could see what was there before.
   */
  void data(long block, ByteBuffer bytesOfBlock) {
    int region = c.spec.region(block);
    long local = c.spec.local(block);
    byte[] leaf = c.bytes.leaf(bytesOfBlock);
    c.trees[region].update(local, leaf);
    Gathered g = regions.computeIfAbsent(region, k -> new Gathered());
    Gathered.Place place = g.written.get(local);
    if (place != null) {
      g.puts.set(place.put, new Put(g.puts.get(place.put).seq(), local, 1, leaf));
      g.data.set(place.data, bytesOfBlock);
      return;
    }
    g.written.put(local, new Gathered.Place(g.puts.size(), g.data.size()));
    g.puts.add(new Put(next++, local, 1, leaf));
    g.data.add(bytesOfBlock);
    bytes += c.spec.blockSize();
  }

  /**
   * Makes a run of blocks inside one stripe zeros. It adds nothing for blocks that are zeros
   * already.
   */
  void zero(long block, int count) {
    int region = c.spec.region(block);
    long local = c.spec.local(block);
    SessionTree tree = c.trees[region];
    boolean changes = false;
    for (int i = 0; i < count; i++) {
      if (!Hashes.isZero(tree.leaf(local + i))) {
        tree.update(local + i, Hashes.zero());
        changes = true;
      }
    }
    if (changes) {
      Gathered g = regions.computeIfAbsent(region, k -> new Gathered());
      g.puts.add(new Put(next++, local, count, null));
      g.written.subMap(local, local + count).clear();
    }
  }

  /** Makes the batch a barrier: it has no PUTs and takes a seq of its own. */
  void barrier(Iterable<Integer> unsynced) {
    sync(unsynced);
    next++;
  }

  Batch build(byte[] volumeRoot) {
    Batch b = new Batch(first, next - 1, sync, volumeRoot);
    regions.forEach(
        (r, g) -> {
          ByteBuffer payload = g.data.isEmpty() ? null : c.bytes.join(g.data);
          b.parts.put(
              r, new Batch.Part(g.puts, payload, payload == null ? 0 : LogRecord.crc(payload)));
        });
    return b;
  }
}
