package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Reader;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.DaemonThreads;

/**
 * The cluster's shared records in ZooKeeper. Calls block for at most a few seconds. Callbacks run
 * one at a time on the store's own thread, on which calls are allowed. Thread-safe.
 */
public final class ClusterStore implements AutoCloseable {
  private static final ObjectMapper JSON = mapper();
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._:-]*");

  /**
   * The most records that one step changes. ZooKeeper takes steps of up to 1 MiB, and no record of
   * a region has more than some KiB.
   */
  public static final int MOST_CHANGES = 100;

  private static final RrsRecord UNREADABLE =
      new RrsRecord(
          new EpochLink(
              new RegionId(0, -1),
              0,
              List.of(new RrsRecord.Member("", 0, "")),
              List.of(),
              0,
              "",
              false,
              ""),
          RrsRecord.State.BROKEN,
          "its record cannot be read");

  private final CuratorFramework client;
  private final ScheduledExecutorService events =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-zk"));

  /** The core's record has no annotations. */
  private static ObjectMapper mapper() {
    ObjectMapper mapper = new ObjectMapper();
    mapper
        .configOverride(RrsRecord.class)
        .setIgnorals(JsonIgnoreProperties.Value.forIgnoreUnknown(true));
    return mapper;
  }

  private ClusterStore(CuratorFramework client) {
    this.client = client;
  }

  /**
   * Connects to ZooKeeper.
   *
   * @param quorum its servers as {@code host:port}, separated by commas
   * @param timeout the longest time that the connect may take
   * @param session the timeout of the ZooKeeper session
   * @throws ClusterStoreException.Unreachable when ZooKeeper does not answer in time
   */
  public static ClusterStore connect(String quorum, Duration timeout, Duration session)
      throws ClusterStoreException {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(quorum)
            .namespace("salus")
            .ensembleTracker(false)
            .sessionTimeoutMs((int) session.toMillis())
            .connectionTimeoutMs((int) Math.min(timeout.toMillis(), session.toMillis()))
            .retryPolicy(new RetryNTimes(3, 200))
            .build();
    client.start();
    try {
      if (client.blockUntilConnected((int) timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return new ClusterStore(client);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    client.close();
    throw new ClusterStoreException.Unreachable(
        Reason.zooKeeperSilent(quorum, timeout.toMillis()).words(), null);
  }

  /** Creates a volume's record, with mount epoch 0. */
  public void createVolume(VolumeRecord volume) throws ClusterStoreException {
    create(volume, 0);
  }

  private void create(VolumeRecord volume, long mountEpoch) throws ClusterStoreException {
    String path = volumePath(volume.spec().name());
    String what = "volume " + volume.spec().name();
    run(
        what,
        () -> {
          ensure("/volumes");
          List<CuratorOp> ops = new ArrayList<>();
          ops.add(creation(path, json(volume)));
          ops.add(creation(path + "/rrs", new byte[0]));
          ops.add(creation(path + "/mountEpoch", json(mountEpoch)));
          ops.add(creation(WriterClaims.readersPath(path), new byte[0]));
          return client.transaction().forOperations(ops);
        });
  }

  private CuratorOp creation(String path, byte[] data) throws Exception {
    return client.transactionOp().create().forPath(path, data);
  }

  /**
   * Writes the records of a volume that has none. Its regions get none: the master makes them from
   * what the NameNode knows of their epochs. Until the last step, the volume is RESTORING, and
   * nobody uses it. Whoever finds an attempt that was broken off begins anew; an attempt that goes
   * on nevertheless fails.
   *
   * @param mountEpoch every later mount has a higher one
   * @throws ClusterStoreException.Exists when the volume has its records
   * @throws ClusterStoreException.Conflict when somebody else writes them
   */
  public void restoreVolume(VolumeSpec spec, long mountEpoch) throws ClusterStoreException {
    finishRestore(spec, mountEpoch, beginRestore(spec, mountEpoch));
  }

  /**
   * @param version of the volume's record since {@link #beginRestore}
   */
  void finishRestore(VolumeSpec spec, long mountEpoch, int version) throws ClusterStoreException {
    String name = spec.name();
    String path = volumePath(name);
    List<String> old = children(path + "/rrs");
    inSteps(name, version, old.size(), i -> deletion(path + "/rrs/" + old.get(i)));
    List<String> readers = children(WriterClaims.readersPath(path));
    inSteps(
        name,
        version,
        readers.size(),
        i -> deletion(WriterClaims.readersPath(path) + "/" + readers.get(i)));
    // The next writer waits for whoever was reading when ZooKeeper lost its records.
    WriterRecord unknown =
        new WriterRecord("unknown", System.currentTimeMillis(), mountEpoch, "", 0, "", false);
    inSteps(
        name, version, 1, i -> creation(WriterClaims.readerPath(path, mountEpoch), json(unknown)));
    VolumeRecord whole = new VolumeRecord(spec, VolumeRecord.State.ACTIVE);
    run("volume " + name, () -> client.setData().withVersion(version).forPath(path, json(whole)));
  }

  /** Returns the version of the volume's record, which changes when somebody else begins anew. */
  int beginRestore(VolumeSpec spec, long mountEpoch) throws ClusterStoreException {
    String path = volumePath(spec.name());
    String what = "volume " + spec.name();
    VolumeRecord volume = new VolumeRecord(spec, VolumeRecord.State.RESTORING);
    Optional<Versioned<VolumeRecord>> now = readVolume(spec.name());
    if (now.isEmpty()) {
      create(volume, mountEpoch);
      return 0;
    }
    if (now.get().value().state() != VolumeRecord.State.RESTORING) {
      throw new ClusterStoreException.Exists(what);
    }
    int before = now.get().version();
    run(
        what,
        () ->
            client
                .transaction()
                .forOperations(
                    client
                        .transactionOp()
                        .setData()
                        .withVersion(before)
                        .forPath(path, json(volume)),
                    client
                        .transactionOp()
                        .setData()
                        .forPath(path + "/mountEpoch", json(mountEpoch))));
    return before + 1;
  }

  /** Makes the operation with this number. */
  private interface Step {
    CuratorOp op(int i) throws Exception;
  }

  /** Does operations below a volume's record, while that has this version. */
  private void inSteps(String volume, int version, int count, Step step)
      throws ClusterStoreException {
    String what = "volume " + volume;
    for (int from = 0; from < count; from += MOST_CHANGES) {
      int first = from;
      run(
          what,
          () -> {
            List<CuratorOp> ops = new ArrayList<>();
            ops.add(
                client.transactionOp().check().withVersion(version).forPath(volumePath(volume)));
            for (int i = first; i < Math.min(count, first + MOST_CHANGES); i++) {
              ops.add(step.op(i));
            }
            return client.transaction().forOperations(ops);
          });
    }
  }

  private CuratorOp deletion(String path) throws Exception {
    return client.transactionOp().delete().forPath(path);
  }

  /**
   * A volume's record.
   *
   * @throws ClusterStoreException.Missing when there is none
   * @throws ClusterStoreException.Format when another version of Salus wrote it
   */
  public VolumeRecord volume(String name) throws ClusterStoreException {
    return readVolume(name)
        .orElseThrow(() -> new ClusterStoreException.Missing("volume " + name))
        .value();
  }

  /** The names of all volumes, sorted. */
  public List<String> volumes() throws ClusterStoreException {
    return children("/volumes");
  }

  /** Calls back, now and after each change, with the names of all volumes. */
  public Watch watchVolumes(Watch.Callback<List<String>> callback) {
    return watch("/volumes", this::volumes, callback);
  }

  /** Calls back, now and after each change, with a volume's record; empty when there is none. */
  public Watch watchVolume(String name, Watch.Callback<Optional<VolumeRecord>> callback) {
    return watch(volumePath(name), () -> readVolume(name).map(Versioned::value), callback);
  }

  /** Looks at the format's number before the fields, since another format may have any fields. */
  private Optional<Versioned<VolumeRecord>> readVolume(String name) throws ClusterStoreException {
    Optional<Versioned<JsonNode>> found = read("volume " + name, volumePath(name), JsonNode.class);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    int format = found.get().value().path("format").asInt(1);
    if (format != VolumeRecord.FORMAT) {
      throw new ClusterStoreException.Format("volume " + name, format);
    }
    return Optional.of(
        new Versioned<>(
            run("volume " + name, () -> JSON.treeToValue(found.get().value(), VolumeRecord.class)),
            found.get().version()));
  }

  /**
   * Marks a volume as being deleted. Does nothing when it is marked already.
   *
   * @param force whether to delete it when it has a writer, whose lease then ends
   * @throws ClusterStoreException.Busy when it has a writer and {@code force} is false
   */
  public void beginDelete(String name, boolean force) throws ClusterStoreException {
    String path = volumePath(name);
    String what = "volume " + name;
    Versioned<VolumeRecord> now =
        readVolume(name).orElseThrow(() -> new ClusterStoreException.Missing(what));
    Optional<Versioned<WriterRecord>> writer = writer(name);
    if (writer.isPresent() && !force && !writer.get().value().withoutUser()) {
      throw new ClusterStoreException.Busy(name, writer.get().value());
    }
    if (now.value().state() == VolumeRecord.State.DELETING
        || now.value().state() == VolumeRecord.State.DELETED) {
      return;
    }
    VolumeRecord next = new VolumeRecord(now.value().spec(), VolumeRecord.State.DELETING);
    run(
        what,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          if (writer.isPresent()) {
            ops.add(client.transactionOp().delete().forPath(path + "/writer"));
          }
          ops.add(
              client
                  .transactionOp()
                  .setData()
                  .withVersion(now.version())
                  .forPath(path, json(next)));
          return client.transaction().forOperations(ops);
        });
  }

  /**
   * Notes that the files of a volume that is being deleted are gone. Does nothing when another
   * volume has its name by now, or another server has noted it.
   */
  public void filesDeleted(VolumeSpec volume) throws ClusterStoreException {
    Optional<Versioned<VolumeRecord>> now = readVolume(volume.name());
    if (now.isEmpty()
        || now.get().value().spec().id() != volume.id()
        || now.get().value().state() != VolumeRecord.State.DELETING) {
      return;
    }
    VolumeRecord gone = new VolumeRecord(now.get().value().spec(), VolumeRecord.State.DELETED);
    run(
        "volume " + volume.name(),
        () ->
            client
                .setData()
                .withVersion(now.get().version())
                .forPath(volumePath(volume.name()), json(gone)));
  }

  /**
   * The last mount, if it was not closed though the volume has no writer; else empty (paper §4.4,
   * phases 3 and 4). A mount without a user counts until it has confirmed the volume.
   */
  public Optional<WriterRecord> leftBehind(VolumeSpec volume) throws ClusterStoreException {
    String readers = WriterClaims.readersPath(volumePath(volume.name()));
    long newest = WriterClaims.mountEpochs(children(readers)).max().orElse(0);
    if (newest == 0 || writer(volume.name()).isPresent()) {
      return Optional.empty();
    }
    Optional<WriterRecord> last =
        read("a reader of " + volume.name(), readers + "/" + newest, WriterRecord.class)
            .map(Versioned::value);
    boolean isSettled =
        last.filter(WriterRecord::withoutUser).isPresent()
            && reports().confirmed(volume).filter(c -> c.mountEpoch() >= newest).isPresent();
    return isSettled ? Optional.empty() : last;
  }

  /** Removes a region's record. */
  public void deleteRrs(String volume, int region) throws ClusterStoreException {
    run(rrsName(volume, region), () -> client.delete().forPath(rrsPath(volume, region)));
  }

  /** Removes the records of a volume that is being deleted and has no writer. */
  public void finishDelete(String name) throws ClusterStoreException {
    String path = volumePath(name);
    String what = "volume " + name;
    List<String> regions = children(path + "/rrs");
    String readers = WriterClaims.readersPath(path);
    List<String> read = children(readers);
    run(
        what,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          for (String region : regions) {
            ops.add(deletion(path + "/rrs/" + region));
          }
          for (String reader : read) {
            ops.add(deletion(readers + "/" + reader));
          }
          if (client.checkExists().forPath(readers) != null) {
            ops.add(deletion(readers));
          }
          for (String child : List.of("/rrs", "/mountEpoch", "")) {
            ops.add(deletion(path + child));
          }
          return client.transaction().forOperations(ops);
        });
    reports().damage(name, new DamageRecord(0, List.of()));
    reports().forgetConfirmed(name);
  }

  /**
   * A region's record, empty when there is none yet. Anybody may have written it: see {@link
   * EpochLink#isGenuine}. In place of one that cannot be read stands one that nobody has signed.
   */
  public Optional<Versioned<RrsRecord>> rrs(String volume, int region)
      throws ClusterStoreException {
    return read(rrsName(volume, region), rrsPath(volume, region), ClusterStore::rrs);
  }

  private static RrsRecord rrs(byte[] data) throws IOException {
    try {
      RrsRecord record = JSON.readValue(data, RrsRecord.class);
      return record == null ? UNREADABLE : record;
    } catch (JsonProcessingException junk) {
      return UNREADABLE;
    }
  }

  /** Creates a region's first record. */
  public Versioned<RrsRecord> createRrs(String volume, int region, RrsRecord record)
      throws ClusterStoreException {
    run(
        rrsName(volume, region),
        () -> client.create().forPath(rrsPath(volume, region), json(record)));
    return new Versioned<>(record, 0);
  }

  /**
   * Replaces version {@code expected} of a region's record.
   *
   * @throws ClusterStoreException.Conflict when the record has another version
   */
  public Versioned<RrsRecord> replaceRrs(String volume, int region, int expected, RrsRecord record)
      throws ClusterStoreException {
    Stat stat =
        run(
            rrsName(volume, region),
            () ->
                client
                    .setData()
                    .withVersion(expected)
                    .forPath(rrsPath(volume, region), json(record)));
    return new Versioned<>(record, stat.getVersion());
  }

  /** A change of one region's record from version {@code expected} to {@code record}. */
  public record RrsChange(int region, int expected, RrsRecord record) {}

  /**
   * Same as {@link #replaceRrs(String, int, int, RrsRecord)} for several regions of a volume, all
   * or none.
   *
   * @param changes at most {@link #MOST_CHANGES}
   */
  public void replaceRrs(String volume, List<RrsChange> changes) throws ClusterStoreException {
    run(
        "the replicated region servers of " + volume,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          for (RrsChange x : changes) {
            ops.add(
                client
                    .transactionOp()
                    .setData()
                    .withVersion(x.expected())
                    .forPath(rrsPath(volume, x.region()), json(x.record())));
          }
          return client.transaction().forOperations(ops);
        });
  }

  /**
   * Calls back, now and after each change, with a region's record; empty when there is none.
   * Changes during a lost connection are told when it returns.
   */
  public Watch watchRrs(
      String volume, int region, Watch.Callback<Optional<Versioned<RrsRecord>>> callback) {
    return watch(rrsPath(volume, region), () -> rrs(volume, region), callback);
  }

  /** The present writer; empty when there is none. */
  public Optional<Versioned<WriterRecord>> writer(String volume) throws ClusterStoreException {
    return read("the writer of " + volume, volumePath(volume) + "/writer", WriterRecord.class);
  }

  /**
   * Makes {@code claim} the writer under the next mount epoch, and its first reader's record. Ends
   * a present writer's lease in the same transaction when the claim says so. Recognises the claim
   * if it was committed before and its answer lost.
   *
   * @param onLost called once when the lease is gone without having been closed
   * @throws ClusterStoreException.Busy when another writer is present and stays
   * @throws ClusterStoreException.Missing when the volume is missing or being deleted, perhaps with
   *     another one of its name
   * @throws ClusterStoreException.Restoring when not all its records are there
   */
  public synchronized WriterLease acquireWriter(
      VolumeSpec volume, WriterClaim claim, Runnable onLost) throws ClusterStoreException {
    return new WriterClaims(this, client, volume.name(), volumePath(volume.name()))
        .acquire(volume, claim, onLost);
  }

  void requireActive(VolumeSpec volume) throws ClusterStoreException {
    VolumeRecord now = volume(volume.name());
    if (now.spec().id() != volume.id()) {
      throw new ClusterStoreException.Missing(
          "volume " + volume.name() + " (another one has its name now)");
    }
    if (now.state() == VolumeRecord.State.RESTORING) {
      throw new ClusterStoreException.Restoring(volume.name());
    }
    if (now.state() != VolumeRecord.State.ACTIVE) {
      throw new ClusterStoreException.Missing("volume " + volume.name());
    }
  }

  /**
   * The records of all writers of a volume that may answer reads.
   *
   * @param claim tells which of them have ended for certain
   */
  public List<Reader> readers(String volume, WriterClaim claim) throws ClusterStoreException {
    return new WriterClaims(this, client, volume, volumePath(volume)).readers(claim);
  }

  /**
   * Removes every claim with this one's id and the readers' records that belong to it, whatever
   * became of them. Whoever had it answers no reads any more, and claims nothing more.
   */
  public void giveUpWriter(String volume, WriterClaim claim) throws ClusterStoreException {
    new WriterClaims(this, client, volume, volumePath(volume)).giveUp(claim);
  }

  /** Removes the records of writers of a volume that answer no reads any more. */
  public void forgetReaders(String volume, List<Long> mountEpochs) throws ClusterStoreException {
    new WriterClaims(this, client, volume, volumePath(volume)).forget(mountEpochs);
  }

  /**
   * Registers a server until the watch is closed. Renews the registration after a lost session. Of
   * two servers with one name, the one with the higher start code wins.
   */
  public Watch registerServer(String node, ServerRecord record) throws ClusterStoreException {
    ServerRegistration registration = new ServerRegistration(this, node, record);
    registration.ensure();
    return registration;
  }

  /** The registered servers by node name, sorted. */
  public Map<String, ServerRecord> servers() throws ClusterStoreException {
    Map<String, ServerRecord> servers = new TreeMap<>();
    for (String node : children("/servers")) {
      read("server " + node, serverPath(node), ServerRecord.class)
          .map(Versioned::value) // empty for a record that is no record
          .filter(ServerRecord::isWhole)
          .ifPresent(r -> servers.put(node, r));
    }
    return servers;
  }

  /** Calls back, now and after each change, with the registered servers. */
  public Watch watchServers(Watch.Callback<Map<String, ServerRecord>> callback) {
    return watch("/servers", this::servers, callback);
  }

  /**
   * Calls back, on the store's thread, once ZooKeeper has told everything that was written before
   * this call, and the watches that it concerns have read it. Does not block. Never calls back if
   * the connection is lost meanwhile, or is lost now.
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

  /** The records of what sessions and servers have found out. */
  public ClusterReports reports() {
    return new ClusterReports(this, client);
  }

  /** Closes the ZooKeeper session, and with it watches, registrations and leases. */
  @Override
  public void close() {
    events.shutdownNow();
    client.close();
  }

  <T> Watch watch(String path, NodeWatch.Read<T> read, Watch.Callback<T> callback) {
    return new NodeWatch<>(client, events, path, read, callback);
  }

  /**
   * Puts {@code record} under the node's name unless a record with a higher start code is there.
   * Returns whether it is in place.
   */
  boolean putServer(String node, ServerRecord record) throws ClusterStoreException {
    String path = serverPath(node);
    return run(
        "server " + node,
        () -> {
          ensure("/servers");
          Stat stat = client.checkExists().forPath(path);
          if (stat == null) {
            client.create().withMode(CreateMode.EPHEMERAL).forPath(path, json(record));
            return true;
          }
          if (ownsNode(path)) {
            return true;
          }
          if (JSON.readValue(client.getData().forPath(path), ServerRecord.class).startCode()
              > record.startCode()) {
            return false;
          }
          client
              .transaction()
              .forOperations(
                  client.transactionOp().delete().withVersion(stat.getVersion()).forPath(path),
                  client
                      .transactionOp()
                      .create()
                      .withMode(CreateMode.EPHEMERAL)
                      .forPath(path, json(record)));
          return true;
        });
  }

  void removeServer(String node) throws ClusterStoreException {
    run(
        "server " + node,
        () -> {
          if (ownsNode(serverPath(node))) {
            client.delete().forPath(serverPath(node));
          }
          return null;
        });
  }

  boolean ownsNode(String path) throws ClusterStoreException {
    return run(
        path,
        () -> {
          Stat stat = client.checkExists().forPath(path);
          return stat != null
              && stat.getEphemeralOwner()
                  == client.getZookeeperClient().getZooKeeper().getSessionId();
        });
  }

  static String serverPath(String node) {
    return "/servers/" + checked(node);
  }

  /** A call whose failures {@link ClusterStore#run} turns into {@link ClusterStoreException}s. */
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

  private interface Parser<T> {
    T parse(byte[] data) throws IOException;
  }

  <T> Optional<Versioned<T>> read(String what, String path, Class<T> type)
      throws ClusterStoreException {
    return read(what, path, data -> JSON.readValue(data, type));
  }

  private <T> Optional<Versioned<T>> read(String what, String path, Parser<T> parser)
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

  static byte[] json(Object value) throws IOException {
    return JSON.writeValueAsBytes(value);
  }

  private static String volumePath(String name) {
    return "/volumes/" + checked(name);
  }

  private static String rrsPath(String volume, int region) {
    return volumePath(volume) + "/rrs/" + region;
  }

  private static String rrsName(String volume, int region) {
    return "region " + region + " of volume " + volume;
  }

  static String checked(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException("not a name: " + name);
    }
    return name;
  }
}
