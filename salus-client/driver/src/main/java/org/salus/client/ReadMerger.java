package org.salus.client;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Merges reads of one turn of the loop that lie side by side in a stripe, as when a file is read in
 * order. One message then asks for all of them, since messages are most of a small read's cost. No
 * read waits for others to come. Not thread-safe.
 */
final class ReadMerger {
  private final int stripeBlocks;
  private List<ReadOperation> gathered = new ArrayList<>();

  ReadMerger(int stripeBlocks) {
    this.stripeBlocks = stripeBlocks;
  }

  /**
   * Gathers a read of whole blocks.
   *
   * @return whether it is the first of this turn
   */
  boolean add(ReadOperation read) {
    gathered.add(read);
    return gathered.size() == 1;
  }

  /** Takes the gathered reads as runs of neighbours, each in order and in one stripe. */
  List<List<ReadOperation>> takeRuns() {
    List<ReadOperation> reads = take();
    reads.sort(Comparator.comparingLong(ReadOperation::firstBlock));
    List<List<ReadOperation>> runs = new ArrayList<>();
    for (int from = 0; from < reads.size(); ) {
      int to = from + 1;
      while (to < reads.size() && isBeside(reads.get(to - 1), reads.get(to))) {
        to++;
      }
      runs.add(reads.subList(from, to));
      from = to;
    }
    return runs;
  }

  /** Takes the gathered reads in the order of the calls. */
  List<ReadOperation> take() {
    List<ReadOperation> taken = gathered;
    gathered = new ArrayList<>();
    return taken;
  }

  private boolean isBeside(ReadOperation before, ReadOperation next) {
    return before.endBlock() == next.firstBlock()
        && before.firstBlock() / stripeBlocks == (next.endBlock() - 1) / stripeBlocks;
  }
}
