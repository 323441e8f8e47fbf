package org.salus.benchmarks.peers.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.benchmarks.peers.primarybackup.PrimaryBackupBlocks;
import org.salus.benchmarks.peers.primarybackup.PrimaryBackupBlocks.Primaries;

@Tag("cluster")
class RatisBlocksTest {
  private static final int BLOCKS = 300;
  private static final int OUTSTANDING = 50;

  @TempDir private Path dir;

  private static byte[] content(int block, int version) {
    byte[] content = new byte[BlockStoreUnderTest.BLOCK];
    Arrays.fill(content, (byte) (block * 7 + version));
    return content;
  }

  private static void write(RaftGroupBlocks store, int version) throws Exception {
    List<CompletableFuture<?>> writes = new ArrayList<>();
    for (int b = 0; b < BLOCKS; b++) {
      writes.add(store.write(b, content(b, version)));
    }
    await(writes);
  }

  private static void await(List<CompletableFuture<?>> all) throws Exception {
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
  }

  private static void requireAll(RaftGroupBlocks store, int version) throws Exception {
    List<CompletableFuture<?>> reads = new ArrayList<>();
    for (int b = 0; b < BLOCKS; b++) {
      int block = b;
      reads.add(
          store
              .read(b)
              .thenAccept(
                  found ->
                      assertThat(found).as("block " + block).isEqualTo(content(block, version))));
    }
    await(reads);
  }

  private static void writeSettleAndRead(RaftGroupBlocks store) throws Exception {
    write(store, 1);
    requireAll(store, 1);
    store.settle();
    requireAll(store, 1);
  }

  @Test
  void whatWasWrittenIsReadAlsoWhenAServerIsKilledThatLeadsNoGroupAndStartedAgain()
      throws Exception {
    try (PeerServers servers = RatisServers.here(dir.resolve("servers"))) {
      servers.start();
      for (Primaries primaries : Primaries.values()) {
        try (RaftGroupBlocks store = new PrimaryBackupBlocks(primaries, servers, OUTSTANDING)) {
          store.open(BLOCKS);
          writeSettleAndRead(store);
        }
      }
      try (RaftGroupBlocks store = new RatisBlocks(servers, OUTSTANDING)) {
        store.open(BLOCKS);
        writeSettleAndRead(store);
        servers.kill(RatisServers.FOLLOWER);
        requireAll(store, 1);
        write(store, 2);
        requireAll(store, 2);
        servers.restart(RatisServers.FOLLOWER);
        store.settle();
        requireAll(store, 2);
      }
    }
  }
}
