package org.salus.benchmarks.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.salus.benchmarks.faults.hbase.HBaseTarget;
import org.salus.benchmarks.faults.history.BlockStore;
import org.salus.benchmarks.faults.history.WriteSequence;
import org.salus.benchmarks.faults.store.SalusTarget;

/**
 * A client in a process of its own, which is to be killed. It keeps many writes outstanding, and
 * prints the number of each write that is acknowledged.
 */
public final class CrashingClient {
  private static final int OUTSTANDING = 128;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private CrashingClient() {}

  /**
   * Arguments: those of {@link org.salus.benchmarks.faults.store.Target#arguments}, the store's
   * name, the workload's seed and blocks, the first write.
   */
  public static void main(String[] args)
      throws IOException, InterruptedException, ExecutionException {
    WriteSequence workload = new WriteSequence(Long.parseLong(args[3]), Integer.parseInt(args[4]));
    try (BlockStore store =
        args[0].equals(SalusTarget.NAME)
            ? SalusTarget.open(args[1], args[2], PATIENCE)
            : HBaseTarget.open(Path.of(args[1]), args[2], PATIENCE)) {
      // The first request is slow: it opens connections.
      store.read(0).get();
      write(store, workload, Long.parseLong(args[5]));
    }
  }

  private static void write(BlockStore store, WriteSequence workload, long first)
      throws InterruptedException {
    Semaphore room = new Semaphore(OUTSTANDING);
    AtomicReference<Throwable> failed = new AtomicReference<>();
    for (long i = first; failed.get() == null; i++) {
      long seq = i;
      room.acquire();
      store
          .write(workload.block(seq), workload.content(seq))
          .whenComplete(
              (done, error) -> {
                if (error == null) {
                  System.out.println(seq);
                } else {
                  failed.set(error);
                }
                room.release();
              });
    }
    throw new IllegalStateException("a write failed", failed.get());
  }
}
