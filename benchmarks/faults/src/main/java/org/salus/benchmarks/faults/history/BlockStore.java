package org.salus.benchmarks.faults.history;

import java.util.concurrent.CompletableFuture;

/** An open block store. Requests may be outstanding in any number. Thread-safe. */
public interface BlockStore extends AutoCloseable {
  CompletableFuture<Void> write(int block, byte[] data);

  CompletableFuture<byte[]> read(int block);

  /** Closes it at once; outstanding requests fail. */
  @Override
  void close();
}
