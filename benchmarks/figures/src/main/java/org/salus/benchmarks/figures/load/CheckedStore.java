package org.salus.benchmarks.figures.load;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.salus.benchmarks.peers.BlockStoreUnderTest;

/**
 * A store whose every read is compared with what was written last. For one thread; futures complete
 * on any.
 */
public final class CheckedStore {
  private final BlockStoreUnderTest store;
  private final Contents contents;

  /** The number of the last write of each block; 0 if there was none. */
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
   * Reads a block that was written before. The future fails with an {@link IOException} if the
   * block is not what was written last.
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
