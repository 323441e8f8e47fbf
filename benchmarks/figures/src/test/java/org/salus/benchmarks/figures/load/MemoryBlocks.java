package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * A store that holds requests back until it is told to send, and notes what it is asked for.
 * Thread-safe but for its fields.
 */
public final class MemoryBlocks implements BlockStoreUnderTest {
  final Map<Long, byte[]> blocks = new HashMap<>();
  final List<String> asked = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private long failing = -1;
  private boolean holds = true;

  /** Whether requests wait until {@link #send}. */
  synchronized void hold(boolean now) {
    holds = now;
  }

  /** Requests of this block fail. */
  void fail(long block) {
    failing = block;
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public void open(long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public synchronized CompletableFuture<Void> write(long block, byte[] content) {
    asked.add("write " + block);
    blocks.put(block, content);
    return hold(block, null);
  }

  @Override
  public synchronized CompletableFuture<byte[]> read(long block) {
    asked.add("read " + block);
    return hold(block, blocks.get(block));
  }

  private <T> CompletableFuture<T> hold(long block, T answer) {
    CompletableFuture<T> future = new CompletableFuture<>();
    held.add(
        block == failing
            ? () -> future.completeExceptionally(new IOException("no block " + block))
            : () -> future.complete(answer));
    if (!holds) {
      send();
    }
    return future;
  }

  @Override
  public synchronized void send() {
    held.forEach(Runnable::run);
    held.clear();
  }

  @Override
  public CompletableFuture<Void> barrier() {
    asked.add("barrier");
    send();
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public long settle() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException();
  }
}
