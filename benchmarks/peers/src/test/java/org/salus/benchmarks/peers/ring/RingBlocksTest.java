package org.salus.benchmarks.peers.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.PeerServers;

/** Real servers, in processes of their own. */
@Tag("cluster")
class RingBlocksTest {
  private static final int BLOCKS = 300;

  @TempDir private Path dir;

  private PeerServers servers(int count) throws Exception {
    return PeerServers.here(dir.resolve("ring" + count), RingBlocks.server(), "64m", count);
  }

  private static byte[] content(int block, int version) {
    byte[] content = new byte[BlockStoreUnderTest.BLOCK];
    Arrays.fill(content, (byte) (block * 7 + version));
    return content;
  }

  private static void writeAndRead(RingBlocks store) throws Exception {
    for (int version = 1; version <= 2; version++) {
      List<CompletableFuture<?>> requests = new ArrayList<>();
      for (int b = 0; b < BLOCKS; b++) {
        byte[] expected = content(b, version);
        int block = b;
        requests.add(
            store
                .write(b, expected.clone())
                .thenCompose(done -> store.read(block))
                .thenAccept(found -> assertThat(found).isEqualTo(expected)));
      }
      await(requests);
    }
  }

  private static void await(List<CompletableFuture<?>> all) throws Exception {
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(1, TimeUnit.MINUTES);
  }

  @Test
  void oneServerIsARingToo() throws Exception {
    try (PeerServers servers = servers(1);
        RingBlocks store = new RingBlocks("ring", servers.addresses(), 2 * BLOCKS)) {
      servers.start();
      store.open(BLOCKS);
      writeAndRead(store);
    }
  }

  @Test
  void whatWasWrittenIsReadFromWhicheverServerAndNothingWaitsForeverForOneThatIsGone()
      throws Exception {
    try (PeerServers servers = servers(3);
        RingBlocks store = new RingBlocks("ring", servers.addresses(), 2 * BLOCKS)) {
      servers.start();
      store.open(BLOCKS);
      writeAndRead(store);
      servers.kill(1);
      assertThatThrownBy(() -> writeAndRead(store)).isInstanceOf(ExecutionException.class);
    }
  }
}
