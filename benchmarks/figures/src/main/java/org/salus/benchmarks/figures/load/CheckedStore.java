package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * A store of which every read is compared with what was written last. For one thread; futures
 * complete on any.
 */
public final class CheckedStore {
  private final BlockStoreUnderTest store;
  private final Contents contents;

  /** The last write of each block; 0 is none. */
  private final int[] versions;

  public CheckedStore(BlockStoreUnderTest store, Contents contents, int blocks) {
    this.store = store;
    this.contents = contents;
    this.versions = new int[blocks];
  }

  public BlockStoreUnderTest store() {
    return store;
  }

  public String name() {
    return store.name();
  }

  public int blocks() {
    return versions.length;
  }

  CompletableFuture<Void> write(int block) {
    return store.write(block, contents.of(block, ++versions[block]));
  }

  /**
   * Fails with an {@link IOException} when the block is not what was written last; it must have
   * been written.
   */
  CompletableFuture<Void> read(int block) {
    int version = versions[block];
    if (version == 0) {
      throw new IllegalStateException("block " + block + " was not written");
    }
    return store
        .read(block)
        .thenAccept(
            found -> {
              try {
                contents.require(found, block, version);
              } catch (IOException wrong) {
                throw new CompletionException(wrong);
              }
            });
  }
}
