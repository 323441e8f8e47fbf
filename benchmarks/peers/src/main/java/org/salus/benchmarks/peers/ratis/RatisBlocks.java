package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.TimeDuration;
import org.salus.benchmarks.peers.BlockStoreUnderTest;
import org.salus.benchmarks.peers.PeerServers;
import org.salus.benchmarks.peers.RequestWindow;

/**
 * Blocks in Raft groups of three servers: a write is on disk in the logs of two of them before it
 * completes.
 */
public final class RatisBlocks implements BlockStoreUnderTest {
  private static final long SNAPSHOT_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final int MOST_TRIES = 100;
  private static final long PAUSE_MILLIS = 100;

  /** After the default, 3 s, a client of busy servers would send all that is outstanding again. */
  private static final TimeDuration PATIENCE = TimeDuration.valueOf(30, TimeUnit.SECONDS);

  private static final RetryPolicy AGAIN =
      RetryPolicies.retryUpToMaximumCountWithFixedSleep(
          600, TimeDuration.valueOf(PAUSE_MILLIS, TimeUnit.MILLISECONDS));

  /** Who is read from, and the groups, which no two of these share. */
  public enum Reads {
    /**
     * Whichever of the servers has least to do: it asks the leader how far it must be. A
     * Gaios-class replicated state machine.
     */
    ANY("Ratis", 0, 1),
    /** The leader, by its lease: primary-backup, with one primary. */
    PRIMARY("PB1", 1, 1),
    /**
     * Three leaders, each of a third of the blocks: primary-backup, with the primaries spread over
     * the servers.
     */
    PRIMARIES("PBN", 2, 3);

    private final String label;
    private final int first;
    private final int groups;

    Reads(String label, int first, int groups) {
      this.label = label;
      this.first = first;
      this.groups = groups;
    }

    /** What the store is called. */
    public String label() {
      return label;
    }
  }

  private final Reads reads;
  private final PeerServers servers;
  private final int outstanding;
  private final RequestWindow window;
  private final List<RaftClient> groups = new ArrayList<>();

  /** Where any may be read from. */
  private final List<RatisReplica> replicas = new ArrayList<>();

  /**
   * @param outstanding most requests
   */
  public RatisBlocks(Reads reads, PeerServers servers, int outstanding) {
    this.reads = reads;
    this.servers = servers;
    this.outstanding = outstanding;
    this.window = new RequestWindow(outstanding);
  }

  @Override
  public String name() {
    return reads.label();
  }

  @Override
  public void open(long blocks) {
    for (int g = 0; g < reads.groups; g++) {
      groups.add(client(g, AGAIN));
    }
    for (int server = 0; reads == Reads.ANY && server < RatisGroups.SERVERS; server++) {
      replicas.add(new RatisReplica(server, () -> client(0, RetryPolicies.noRetry())));
    }
  }

  private RaftClient client(int group, RetryPolicy retry) {
    RaftProperties p = new RaftProperties();
    RaftClientConfigKeys.Async.setOutstandingRequestsMax(p, outstanding);
    RaftClientConfigKeys.Rpc.setRequestTimeout(p, PATIENCE);
    return RaftClient.newBuilder()
        .setProperties(p)
        .setRaftGroup(RatisGroups.group(reads.first + group, servers.addresses()))
        .setRetryPolicy(retry)
        .build();
  }

  @Override
  public CompletableFuture<Void> write(long block, byte[] content) {
    window.enter();
    ByteBuffer request =
        ByteBuffer.allocate(Long.BYTES + content.length).putLong(block).put(content).flip();
    return groupOf(block)
        .async()
        .send(message(request))
        .whenComplete((reply, error) -> window.leave())
        .thenAccept(RatisBlocks::content);
  }

  private RaftClient groupOf(long block) {
    return groups.get((int) (block % groups.size()));
  }

  private static Message message(ByteBuffer request) {
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(request));
  }

  /** Fails when the request did. */
  private static ByteBuffer content(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      throw new IllegalStateException(reply.getException());
    }
    return reply.getMessage().getContent().asReadOnlyByteBuffer();
  }

  @Override
  public CompletableFuture<byte[]> read(long block) {
    window.enter();
    Message request = message(ByteBuffer.allocate(Long.BYTES).putLong(block).flip());
    CompletableFuture<ByteBuffer> answer =
        reads == Reads.ANY
            ? askAny(request, MOST_TRIES)
            : groupOf(block).async().sendReadOnlyUnordered(request).thenApply(RatisBlocks::content);
    return answer
        .whenComplete((found, error) -> window.leave())
        .thenApply(
            found -> {
              byte[] bytes = new byte[found.remaining()];
              found.get(bytes);
              return bytes;
            });
  }

  /** Asks the one with least to do, and another one when that one cannot answer. */
  private CompletableFuture<ByteBuffer> askAny(Message request, int tries) {
    RatisReplica least =
        Collections.min(
            replicas,
            Comparator.comparingLong(RatisReplica::downNanos).thenComparingInt(RatisReplica::owed));
    return least
        .read(request)
        .thenApply(RatisBlocks::content)
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
  public void send() {
    // Nothing is held back here.
  }

  @Override
  public CompletableFuture<Void> barrier() {
    throw new UnsupportedOperationException(
        "the log has one order, in which writes take effect as they are sent");
  }

  @Override
  public long settle() throws IOException {
    for (RaftClient group : groups) {
      for (int s = 0; s < RatisGroups.SERVERS; s++) {
        content(
            group.getSnapshotManagementApi(RatisGroups.server(s)).create(true, SNAPSHOT_MILLIS));
      }
    }
    return System.nanoTime();
  }

  @Override
  public void close() {
    groups.forEach(RatisReplica::close);
    replicas.forEach(RatisReplica::close);
  }
}
