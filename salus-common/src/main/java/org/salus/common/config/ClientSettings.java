package org.salus.common.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What a client reads; sizes in bytes. Immutable. */
public record ClientSettings(String zookeeperQuorum, Duration requestTimeout, long treeCache, int batchesOutstanding,
    long batchMaxBytes, Duration resendAfter) {
  private static final Setting<String> QUORUM = Setting.text("salus.zookeeper.quorum", "localhost:2181",
      "ZooKeeper's servers as host:port, separated by commas.");
  private static final Setting<Duration> TIMEOUT = Setting.duration("salus.client.request.timeout", "5min",
      Duration.ofMillis(1), "After this long a read, write or flush fails.");
  private static final Setting<Long> TREE_CACHE = Setting.size("salus.client.tree.cache", "64m", 1 << 20,
      "Memory for the pages of one volume's Merkle tree.");
  private static final Setting<Integer> OUTSTANDING = Setting.count("salus.client.batches.outstanding", "16", 1, 1024,
      "Most batches of writes that are under way at once.");
  private static final Setting<Long> BATCH_BYTES = Setting.size("salus.client.batch.max.bytes", "1m", 4096,
      "Most bytes of data in one batch of writes.");
  private static final Setting<Duration> RESEND = Setting.duration("salus.client.resend.after", "1s",
      Duration.ofMillis(10), "An unanswered message is sent again after this long.");

  /** All settings of the group. */
  public static final List<Setting<?>> ALL =
      List.of(QUORUM, TIMEOUT, TREE_CACHE, OUTSTANDING, BATCH_BYTES, RESEND);

  /** Reads the group. */
  public static ClientSettings from(Map<String, String> values) {
    return new ClientSettings(QUORUM.read(values), TIMEOUT.read(values), TREE_CACHE.read(values),
        OUTSTANDING.read(values), BATCH_BYTES.read(values), RESEND.read(values));
  }
}
