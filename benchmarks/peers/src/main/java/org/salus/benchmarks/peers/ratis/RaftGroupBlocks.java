package org.salus.benchmarks.peers.ratis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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
 * completes. Who answers reads is the subclass's choice. For one thread; futures complete on any.
 */
public abstract class RaftGroupBlocks implements BlockStoreUnderTest {
  private static final long SNAPSHOT_MILLIS = TimeUnit.MINUTES.toMillis(5);
  private static final long PAUSE_MILLIS = 100;

  /** After the default, 3 s, a client of busy servers would send all that is outstanding again. */
  private static final TimeDuration PATIENCE = TimeDuration.valueOf(30, TimeUnit.SECONDS);

  private static final RetryPolicy AGAIN =
      RetryPolicies.retryUpToMaximumCountWithFixedSleep(
          600, TimeDuration.valueOf(PAUSE_MILLIS, TimeUnit.MILLISECONDS));

  private final String name;
  private final int first;
  private final int count;
  private final PeerServers servers;
  private final int outstanding;
  private final RequestWindow window;
  private final List<RaftClient> groups = new ArrayList<>();

  /**
   * @param name for tables
   * @param first group of this store; no other store uses its groups
   * @param count groups of this store, over which its blocks are striped
   * @param outstanding most requests
   */
  protected RaftGroupBlocks(
      String name, int first, int count, PeerServers servers, int outstanding) {
    this.name = name;
    this.first = first;
    this.count = count;
    this.servers = servers;
    this.outstanding = outstanding;
    this.window = new RequestWindow(outstanding);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public void open(long blocks) {
    for (int g = 0; g < count; g++) {
      groups.add(client(g, AGAIN));
    }
  }

  final RaftClient client(int group, RetryPolicy retry) {
    RaftProperties p = new RaftProperties();
    RaftClientConfigKeys.Async.setOutstandingRequestsMax(p, outstanding);
    RaftClientConfigKeys.Rpc.setRequestTimeout(p, PATIENCE);
    return RaftClient.newBuilder()
        .setProperties(p)
        .setRaftGroup(RatisGroups.group(first + group, servers.addresses()))
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
        .thenAccept(RaftGroupBlocks::content);
  }

  private RaftClient groupOf(long block) {
    return groups.get((int) (block % groups.size()));
  }

  private static Message message(ByteBuffer request) {
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(request));
  }

  /**
   * @throws IllegalStateException if the request failed
   */
  static ByteBuffer content(RaftClientReply reply) {
    if (!reply.isSuccess()) {
      throw new IllegalStateException(reply.getException());
    }
    return reply.getMessage().getContent().asReadOnlyByteBuffer();
  }

  @Override
  public final CompletableFuture<byte[]> read(long block) {
    window.enter();
    return ask(block)
        .whenComplete((found, error) -> window.leave())
        .thenApply(
            found -> {
              byte[] bytes = new byte[found.remaining()];
              found.get(bytes);
              return bytes;
            });
  }

  /** Reads a block from one of the servers; the future fails if none answers. */
  protected abstract CompletableFuture<ByteBuffer> ask(long block);

  /** Reads a block from the leader of its group, by the leader's lease. */
  protected final CompletableFuture<ByteBuffer> askLeader(long block) {
    return groupOf(block)
        .async()
        .sendReadOnlyUnordered(question(block))
        .thenApply(RaftGroupBlocks::content);
  }

  static Message question(long block) {
    return message(ByteBuffer.allocate(Long.BYTES).putLong(block).flip());
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
  }
}
