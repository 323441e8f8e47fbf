package org.salus.benchmarks.faults.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Issues the writes of a history to a store, many at once. For one thread. */
public final class HistoryWriter {
  private static final int OUTSTANDING = 64;

  private final BlockStore store;
  private final WriteHistory history;
  private final Semaphore room = new Semaphore(OUTSTANDING);
  private final List<CompletableFuture<Boolean>> outstanding = new ArrayList<>();

  public HistoryWriter(BlockStore store, WriteHistory history) {
    this.store = store;
    this.history = history;
  }

  /**
   * Issues so many more writes, and returns while the last ones are outstanding. It issues fewer if
   * none of the outstanding writes ends in time.
   */
  public void issue(int count, Duration patience) throws InterruptedException {
    for (int i = 0; i < count && room.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS); i++) {
      long seq = history.issue();
      outstanding.add(
          store
              .write(history.workload().block(seq), history.workload().content(seq))
              .handle(
                  (done, failed) -> {
                    if (failed == null) {
                      history.acked(seq);
                    } else {
                      history.failed(seq);
                    }
                    room.release();
                    return failed == null;
                  }));
    }
  }

  /**
   * Waits until no write is outstanding. Returns whether all writes since the last call were
   * acknowledged.
   */
  public boolean await(Duration patience) throws InterruptedException {
    boolean all =
        FutureWait.all(outstanding, patience)
            && outstanding.stream().allMatch(CompletableFuture::join);
    outstanding.clear();
    return all;
  }

  public boolean write(int count, Duration patience) throws InterruptedException {
    issue(count, patience);
    return await(patience);
  }
}
