package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.salus.core.mount.ConfirmedRecord;
import org.salus.core.mount.LossRecord;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.DaemonThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes of ZooKeeper below {@code /salus}: what stands in them as JSON, who watches them, and
 * what their failures are. Which records there are, only {@link ClusterStore} and its like know.
 * Calls block for at most a few seconds. Callbacks run one at a time on one thread, on which calls
 * are allowed. Thread-safe.
 */
final class ClusterNodes implements AutoCloseable {
  private static final ObjectMapper JSON = mapper();
  private static final Logger LOG = LoggerFactory.getLogger(ClusterNodes.class);
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._:-]*");

  /** A look that asks for the time need not have it. */
  private static final long WRITE_MILLIS = 1000;

  /** Longer than the retries of one read take. */
  private static final long ANSWERS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final CuratorFramework client;
  private final ScheduledExecutorService events =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-zk"));

  /** The core's records have no annotations. */
  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    for (Class<?> record :
        List.of(RrsRecord.class, ConfirmedRecord.class, LossRecord.class, LossRecord.Loss.class)) {
      mapper.configOverride(record).setIgnorals(JsonIgnoreProperties.Value.forIgnoreUnknown(true));
    }
    return mapper;
  }

  ClusterNodes(CuratorFramework client) {
    this.client = client;
  }

  /** What changes the nodes. */
  CuratorFramework client() {
    return client;
  }

  /** Closes the ZooKeeper session, and with it watches and ephemeral nodes. */
  @Override
  public void close() {
    events.shutdownNow();
    client.close();
  }

  <T> Watch watch(String path, NodeWatch.Read<T> read, Watch.Callback<T> callback) {
    return NodeWatch.start(client, events, path, read, callback);
  }

  /**
   * Calls back, on the thread of callbacks, once ZooKeeper has told everything that was written
   * before this call, and the watches that it concerns have read it. Does not block. Never calls
   * back if the connection is lost meanwhile, or is lost now.
   */
  void afterSync(Runnable then) throws ClusterStoreException {
    if (!client.getZookeeperClient().isConnected()) {
      return;
    }
    run(
        "sync",
        () -> {
          client
              .sync()
              .inBackground(
                  (framework, event) -> {
                    if (event.getResultCode() == 0 && !events.isShutdown()) {
                      events.execute(then);
                    }
                  })
              .forPath("/");
          return null;
        });
  }

  /** Whether a node is ephemeral and this session's. */
  boolean owns(String path) throws ClusterStoreException {
    return run(
        path,
        () -> {
          Stat stat = client.checkExists().forPath(path);
          return stat != null
              && stat.getEphemeralOwner()
                  == client.getZookeeperClient().getZooKeeper().getSessionId();
        });
  }

  /** A call whose failures {@link ClusterNodes#run} turns into {@link ClusterStoreException}s. */
  @FunctionalInterface
  interface Call<T> {
    T call() throws Exception;
  }

  static <T> T run(String what, Call<T> call) throws ClusterStoreException {
    try {
      return call.call();
    } catch (KeeperException.NodeExistsException e) {
      throw new ClusterStoreException.Exists(what);
    } catch (KeeperException.NoNodeException e) {
      throw new ClusterStoreException.Missing(what);
    } catch (KeeperException.BadVersionException | KeeperException.NotEmptyException e) {
      throw new ClusterStoreException.Conflict(what);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterStoreException.Unreachable("interrupted at " + what, e);
    } catch (KeeperException e) {
      throw new ClusterStoreException.Unreachable(
          "ZooKeeper failed at " + what + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new ClusterStoreException("cannot read or write " + what + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new ClusterStoreException("failed at " + what + ": " + e.getMessage(), e);
    }
  }

  /** Reads what stands in a node. */
  interface Parser<T> {
    T parse(byte[] data) throws IOException;
  }

  <T> Optional<Versioned<T>> read(String what, String path, Class<T> type)
      throws ClusterStoreException {
    return read(what, path, data -> parse(data, type));
  }

  <T> Optional<Versioned<T>> read(String what, String path, Parser<T> parser)
      throws ClusterStoreException {
    try {
      return run(
          what,
          () -> {
            Stat stat = new Stat();
            byte[] data = client.getData().storingStatIn(stat).forPath(path);
            return Optional.of(new Versioned<>(parser.parse(data), stat.getVersion()));
          });
    } catch (ClusterStoreException.Missing missing) {
      return Optional.empty();
    }
  }

  /**
   * A node that was read.
   *
   * @param written when it was written last, in ms since 1970 by ZooKeeper's clock
   */
  record Found(byte[] data, long written) {}

  /**
   * Reads all nodes below one side by side, which takes as long as a few reads do.
   *
   * @return what stands in them, by their names; those that are gone meanwhile are missing
   */
  Map<String, Found> readAll(String parent) throws ClusterStoreException {
    Map<String, CompletableFuture<Found>> asked = new TreeMap<>();
    for (String child : children(parent)) {
      String path = parent + "/" + child;
      CompletableFuture<Found> answer = new CompletableFuture<>();
      asked.put(child, answer);
      run(
          path,
          () ->
              client
                  .getData()
                  .inBackground((framework, event) -> take(path, event, answer))
                  .forPath(path));
    }
    Map<String, Found> all = new TreeMap<>();
    long end = System.nanoTime() + ANSWERS_NANOS;
    for (Map.Entry<String, CompletableFuture<Found>> one : asked.entrySet()) {
      Found found = run(parent, () -> answer(one.getValue(), end - System.nanoTime()));
      if (found != null) {
        all.put(one.getKey(), found);
      }
    }
    return all;
  }

  /** Completes with null if the node is gone. */
  private static void take(String path, CuratorEvent event, CompletableFuture<Found> answer) {
    KeeperException.Code code = KeeperException.Code.get(event.getResultCode());
    if (code == KeeperException.Code.OK) {
      answer.complete(new Found(event.getData(), event.getStat().getMtime()));
    } else if (code == KeeperException.Code.NONODE) {
      answer.complete(null);
    } else {
      answer.completeExceptionally(KeeperException.create(code, path));
    }
  }

  private static Found answer(CompletableFuture<Found> answer, long nanos) throws Exception {
    try {
      return answer.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof KeeperException known ? known : failed;
    } catch (TimeoutException silent) {
      throw new KeeperException.OperationTimeoutException();
    }
  }

  /**
   * The time by ZooKeeper's clock, in ms since 1970. It is written to a node, to be read. Empty if
   * the node is not there, may not be written, or is not written at once: ZooKeeper may answer
   * reads and no writes.
   */
  OptionalLong time(String path) {
    CompletableFuture<Stat> written = new CompletableFuture<>();
    try {
      client
          .setData()
          .inBackground((c, event) -> written.complete(event.getStat()))
          .forPath(path, new byte[0]);
      Stat stat = written.get(WRITE_MILLIS, TimeUnit.MILLISECONDS);
      return stat == null ? OptionalLong.empty() : OptionalLong.of(stat.getMtime());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    } catch (Exception unknown) {
      LOG.debug("{} is not written", path, unknown);
      return OptionalLong.empty();
    }
  }

  List<String> children(String path) throws ClusterStoreException {
    try {
      return run(path, () -> client.getChildren().forPath(path).stream().sorted().toList());
    } catch (ClusterStoreException.Missing missing) {
      return List.of();
    }
  }

  void ensure(String path) throws Exception {
    if (client.checkExists().forPath(path) == null) {
      client.create().orSetData().creatingParentsIfNeeded().forPath(path, new byte[0]);
    }
  }

  static <T> T parse(byte[] data, Class<T> type) throws IOException {
    return JSON.readValue(data, type);
  }

  static <T> T value(JsonNode node, Class<T> type) throws IOException {
    return JSON.treeToValue(node, type);
  }

  static byte[] json(Object value) throws IOException {
    return JSON.writeValueAsBytes(value);
  }

  /** The operation of a transaction that creates a node. */
  CuratorOp creation(String path, byte[] data) throws Exception {
    return client.transactionOp().create().forPath(path, data);
  }

  /** The operation of a transaction that removes a node. */
  CuratorOp deletion(String path) throws Exception {
    return client.transactionOp().delete().forPath(path);
  }

  static String checked(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("not a name: " + name);
    }
    return name;
  }
}
