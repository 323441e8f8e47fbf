package org.salus.benchmarks.faults.history;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * What was found when every block of a store was read once.
 *
 * @param seen the write that was found in each block that could be read
 * @param refused how many blocks could not be read
 * @param why the message of the last of those, or empty
 */
public record Reading(Map<Integer, Long> seen, int refused, String why) {

  public static Reading of(BlockStore store, WriteSequence workload, Duration patience)
      throws InterruptedException {
    Map<Integer, CompletableFuture<byte[]>> reads = new HashMap<>();
    for (int b = 0; b < workload.blocks(); b++) {
      reads.put(b, store.read(b));
    }
    FutureWait.all(reads.values(), patience);
    Map<Integer, Long> seen = new HashMap<>();
    String[] why = {""};
    reads.forEach(
        (block, read) -> {
          try {
            byte[] data = read.getNow(null);
            if (data != null) {
              seen.put(block, workload.seqOf(block, data));
            } else {
              why[0] = "a read did not end in time";
            }
          } catch (CompletionException refused) {
            why[0] = String.valueOf(refused.getCause().getMessage());
          }
        });
    return new Reading(seen, workload.blocks() - seen.size(), why[0]);
  }

  /** The verdict of a reader who knows the history. */
  public Verdict.GetVerdict get(WriteHistory history) {
    if (seen.containsValue(WriteSequence.JUNK)) {
      return Verdict.GetVerdict.CORRUPTED;
    }
    if (!seen.entrySet().stream().allMatch(e -> history.isFresh(e.getKey(), e.getValue()))) {
      return Verdict.GetVerdict.STALE;
    }
    return refused == 0
        ? Verdict.GetVerdict.FRESH
        : seen.isEmpty() ? Verdict.GetVerdict.REFUSED : Verdict.GetVerdict.SOME_REFUSED;
  }
}
