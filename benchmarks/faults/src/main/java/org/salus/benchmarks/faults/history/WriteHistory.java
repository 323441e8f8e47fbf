package org.salus.benchmarks.faults.history;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The writes that were issued, acknowledged and failed, and what they say of a state that is read.
 * Thread-safe.
 */
public final class WriteHistory {
  private final WriteSequence workload;

  /** The writes of each block. */
  private final List<TreeSet<Long>> writes = new ArrayList<>();

  private final BitSet acked = new BitSet();
  private final BitSet failed = new BitSet();
  private long issued;

  public WriteHistory(WriteSequence workload) {
    this.workload = workload;
    for (int b = 0; b < workload.blocks(); b++) {
      writes.add(new TreeSet<>());
    }
  }

  public WriteSequence workload() {
    return workload;
  }

  /** The next write is issued. */
  public synchronized long issue() {
    issued++;
    writes.get(workload.block(issued)).add(issued);
    return issued;
  }

  public synchronized long issued() {
    return issued;
  }

  public synchronized void acked(long seq) {
    acked.set((int) seq);
  }

  /** A write failed: it may have been done, or not. */
  public synchronized void failed(long seq) {
    failed.set((int) seq);
  }

  /**
   * Whether a block may hold this write (0: none) when all writes have ended: it is the last one,
   * but for failed ones.
   */
  public synchronized boolean isFresh(int block, long seq) {
    if (seq != 0 && !writes.get(block).contains(seq)) {
      return false;
    }
    return writes.get(block).tailSet(seq, false).stream()
        .allMatch(later -> failed.get(later.intValue()));
  }

  /**
   * Judges a state.
   *
   * @param seen the write in each block that could be read
   */
  public synchronized Verdict.PutVerdict state(Map<Integer, Long> seen) {
    if (seen.containsValue(WriteSequence.JUNK)) {
      return Verdict.PutVerdict.CORRUPTED;
    }
    long least = seen.values().stream().mapToLong(s -> s).max().orElse(0);
    long most = Long.MAX_VALUE;
    for (Map.Entry<Integer, Long> e : seen.entrySet()) {
      Long next =
          writes.get(e.getKey()).tailSet(e.getValue(), false).stream()
              .filter(s -> !failed.get(s.intValue()))
              .findFirst()
              .orElse(null);
      most = next == null ? most : Math.min(most, next - 1);
    }
    if (least > most) {
      return Verdict.PutVerdict.NOT_ORDERED;
    }
    return acked.length() - 1 <= most ? Verdict.PutVerdict.ORDERED : Verdict.PutVerdict.LOST;
  }
}
