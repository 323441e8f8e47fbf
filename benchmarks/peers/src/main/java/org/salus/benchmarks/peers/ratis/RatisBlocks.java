package org.salus.benchmarks.peers.ratis;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.retry.RetryPolicies;
import org.salus.benchmarks.peers.PeerServers;

/**
 * A replicated state machine in the manner of Gaios, in one Raft group. The server with least to do
 * answers a read, after it has asked the leader how far its log must be applied.
 */
public final class RatisBlocks extends RaftGroupBlocks {
  /** What the store is called in tables. */
  public static final String NAME = "Ratis";

  private static final int GROUP = 0;
  private static final int MOST_TRIES = 100;
  private static final long PAUSE_MILLIS = 100;

  private final List<RatisReplica> replicas = new ArrayList<>();

  /**
   * @param outstanding most requests
   */
  public RatisBlocks(PeerServers servers, int outstanding) {
    super(NAME, GROUP, 1, servers, outstanding);
  }

  @Override
  public void open(long blocks) {
    super.open(blocks);
    for (int server = 0; server < RatisGroups.SERVERS; server++) {
      replicas.add(new RatisReplica(server, () -> client(GROUP, RetryPolicies.noRetry())));
    }
  }

  @Override
  protected CompletableFuture<ByteBuffer> ask(long block) {
    return askAny(question(block), MOST_TRIES);
  }

  /** Asks the server with least to do, and another one if it cannot answer. */
  private CompletableFuture<ByteBuffer> askAny(Message request, int tries) {
    RatisReplica least =
        Collections.min(
            replicas,
            Comparator.comparingLong(RatisReplica::downNanos).thenComparingInt(RatisReplica::owed));
    return least
        .read(request)
        .thenApply(RaftGroupBlocks::content)
        .exceptionallyCompose(
            error -> {
              if (tries == 0) {
                return CompletableFuture.failedFuture(error);
              }
              long pause = tries == MOST_TRIES ? 0 : PAUSE_MILLIS;
              return CompletableFuture.supplyAsync(
                      () -> askAny(request, tries - 1),
                      CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS))
                  .thenCompose(again -> again);
            });
  }

  @Override
  public void close() {
    super.close();
    replicas.forEach(RatisReplica::close);
  }
}
