package org.salus.host.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The settings of a client. Sizes are in bytes. Immutable. */
public record ClientSettings(
    String zookeeperQuorum,
    Duration connectTimeout,
    Duration requestTimeout,
    long treeCache,
    int batchesOutstanding,
    Duration resendAfter,
    boolean acceptsLoss,
    long outstandingBytes,
    long recentBytes) {
  /** The cluster's ZooKeeper. */
  public static final Setting<String> QUORUM =
      new Setting<>(
          "salus.zookeeper.quorum",
          "localhost:2181",
          "text",
          value -> value,
          "a host and a port from 1 to 65535 each",
          ClientSettings::isQuorum,
          "The cluster's ZooKeeper servers as host:port, separated by commas.");

  private static final Setting<Duration> CONNECT =
      Setting.duration(
          "salus.client.connect.timeout",
          "10s",
          Duration.ofMillis(100),
          "Time to wait for ZooKeeper's answer when connecting; then the connect fails.");

  /** After which time a request or a mount fails. */
  public static final Setting<Duration> TIMEOUT =
      Setting.duration(
          "salus.client.request.timeout",
          "5min",
          Duration.ofMillis(1),
          "Time after which a read, write, flush or mount fails. Until then the client logs what it"
              + " waits for.");

  private static final Setting<Long> TREE_CACHE =
      Setting.size(
          "salus.client.tree.cache",
          "64m",
          1 << 20,
          "Memory for the pages of one volume's Merkle tree; at least 512k for each region is"
              + " used.");
  private static final Setting<Integer> OUTSTANDING =
      Setting.count(
          "salus.client.batches.outstanding",
          "16",
          1,
          1024,
          "Most batches of writes that a volume has under way at once.");
  private static final Setting<Duration> RESEND =
      Setting.duration(
          "salus.client.resend.after",
          "1s",
          Duration.ofMillis(10),
          "Time after which an unanswered message is sent again.");

  private static final Setting<Boolean> ACCEPT_LOSS =
      Setting.flag(
          "salus.client.accept.loss",
          "false",
          "Whether an open volume goes on when writes that were acknowledged and not flushed are"
              + " lost, as in a power cut of all servers; otherwise it fails, and must be opened"
              + " again.");

  private static final Setting<Long> BYTES =
      Setting.size(
          "salus.client.outstanding.bytes",
          "0",
          0,
          "Most memory that the requests of all volumes of a client hold together; calls wait for"
              + " it. 0 means a quarter of the heap.");

  private static final Setting<Long> RECENT =
      Setting.size(
          "salus.client.recent.bytes",
          "4m",
          0,
          "Memory of one volume for its newest writes. A write to part of a block that is among them"
              + " needs no read of the block.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL =
      List.of(
          QUORUM, CONNECT, TIMEOUT, TREE_CACHE, OUTSTANDING, RESEND, ACCEPT_LOSS, BYTES, RECENT);

  /** A wrong or missing port would only show when nobody has answered for long. */
  private static boolean isQuorum(String text) {
    try {
      Quorum.parse(text);
      return true;
    } catch (IllegalArgumentException nonsense) {
      return false;
    }
  }

  /** Reads the group. */
  public static ClientSettings from(Map<String, String> values) {
    return new ClientSettings(
        QUORUM.read(values),
        CONNECT.read(values),
        TIMEOUT.read(values),
        TREE_CACHE.read(values),
        OUTSTANDING.read(values),
        RESEND.read(values),
        ACCEPT_LOSS.read(values),
        BYTES.read(values),
        RECENT.read(values));
  }
}
