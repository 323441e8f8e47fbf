package org.salus.benchmarks.peers;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * A store of blocks that is compared with others. It takes as many requests as it is made for to be
 * outstanding, and has the caller of one more wait. To be called by one thread; futures complete on
 * any, and what is chained to them must not block. Requests of one block that are outstanding at
 * once have no order.
 */
public interface BlockStoreUnderTest extends AutoCloseable {
  /** Bytes of a block. */
  int BLOCK = 4 << 10;

  /** What it is called in tables and plots. */
  String name();

  /**
   * Makes the store, which is not there yet, and opens it. To be called once, first.
   *
   * @param blocks that it is to have
   */
  void open(long blocks) throws IOException;

  /** Writes a block; the bytes belong to the store from now on. */
  CompletableFuture<Void> write(long block, byte[] content);

  /** Reads a block that was written. */
  CompletableFuture<byte[]> read(long block);

  /** Has requests that are held back to be sent together with later ones be sent now. */
  void send();

  /**
   * Separates writes: what is written later has no effect unless everything before has. Completes
   * when that is settled.
   */
  CompletableFuture<Void> barrier();

  /**
   * Waits until what was written is in files, and the servers have nothing to do in the background.
   * Nothing may be outstanding.
   *
   * @return when that was so, by {@link System#nanoTime()}: who waits knows it only a while later
   */
  long settle() throws IOException;

  /**
   * Removes it from servers that stay, as far as it was made; then it can only be closed. Not for
   * stores whose servers go with them.
   */
  default void remove() throws IOException {
    throw new UnsupportedOperationException(name() + " goes with its servers");
  }

  /** Gives back what was opened; what was written may stay. */
  @Override
  void close() throws IOException;
}
