package org.salus.host.zk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.data.Stat;
import org.salus.core.Reason;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.Reader;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Succession.Waiver;

/**
 * The cluster's shared records in ZooKeeper. Calls block for at most a few seconds. Callbacks run
 * one at a time on the store's own thread, on which calls are allowed. Thread-safe.
 */
public final class ClusterStore implements AutoCloseable {
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
              Waiver.NONE,
              ""),
          RrsRecord.State.BROKEN,
          "its record cannot be read");

  private final ClusterNodes nodes;

  private ClusterStore(ClusterNodes nodes) {
    this.nodes = nodes;
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
        return new ClusterStore(new ClusterNodes(client));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    client.close();
    throw new ClusterStoreException.Unreachable(
        Reason.zooKeeperSilent(quorum, timeout.toMillis()).words(), null);
  }

  /**
   * Creates a volume's record, with mount epoch 0. Does nothing when this very volume has just been
   * created, for the answer may have been lost.
   *
   * @throws ClusterStoreException.Exists when another volume has its name
   */
  public void createVolume(VolumeRecord volume) throws ClusterStoreException {
    try {
      create(volume, 0);
    } catch (ClusterStoreException.Exists exists) {
      if (!readVolume(volume.spec().name()).map(Versioned::value).equals(Optional.of(volume))) {
        throw exists;
      }
    }
  }

  void create(VolumeRecord volume, long mountEpoch) throws ClusterStoreException {
    String path = volumePath(volume.spec().name());
    String what = "volume " + volume.spec().name();
    ClusterNodes.run(
        what,
        () -> {
          nodes.ensure("/volumes");
          List<CuratorOp> ops = new ArrayList<>();
          ops.add(nodes.creation(path, ClusterNodes.json(volume)));
          ops.add(nodes.creation(path + "/rrs", new byte[0]));
          ops.add(nodes.creation(path + "/mountEpoch", ClusterNodes.json(mountEpoch)));
          ops.add(nodes.creation(WriterClaims.readersPath(path), new byte[0]));
          return nodes.client().transaction().forOperations(ops);
        });
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
    VolumeRestoration restoration = new VolumeRestoration(this, nodes, spec, mountEpoch);
    restoration.finish(restoration.begin());
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
    return nodes.children("/volumes");
  }

  /** Calls back, now and after each change, with the names of all volumes. */
  public Watch watchVolumes(Watch.Callback<List<String>> callback) {
    return nodes.watch("/volumes", this::volumes, callback);
  }

  /** Calls back, now and after each change, with a volume's record; empty when there is none. */
  public Watch watchVolume(String name, Watch.Callback<Optional<VolumeRecord>> callback) {
    return nodes.watch(volumePath(name), () -> readVolume(name).map(Versioned::value), callback);
  }

  /** Looks at the format's number before the fields, since another format may have any fields. */
  Optional<Versioned<VolumeRecord>> readVolume(String name) throws ClusterStoreException {
    Optional<Versioned<JsonNode>> found =
        nodes.read("volume " + name, volumePath(name), JsonNode.class);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    int format = found.get().value().path("format").asInt(1);
    if (format != VolumeRecord.FORMAT) {
      throw new ClusterStoreException.Format("volume " + name, format);
    }
    return Optional.of(
        new Versioned<>(
            ClusterNodes.run(
                "volume " + name,
                () -> ClusterNodes.value(found.get().value(), VolumeRecord.class)),
            found.get().version()));
  }

  /**
   * Marks a volume as being deleted. Does nothing when it is marked already.
   *
   * @param force whether to delete it when it has a writer, whose lease then ends
   * @return the volume
   * @throws ClusterStoreException.Busy when it has a writer and {@code force} is false
   */
  public VolumeSpec beginDelete(String name, boolean force) throws ClusterStoreException {
    return new VolumeDeletion(this, nodes, name).begin(force);
  }

  /** Whether a volume has its record, and no other one its name. */
  public boolean isThere(VolumeSpec volume) throws ClusterStoreException {
    return readVolume(volume.name()).filter(v -> v.value().spec().id() == volume.id()).isPresent();
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
    ClusterNodes.run(
        "volume " + volume.name(),
        () ->
            nodes
                .client()
                .setData()
                .withVersion(now.get().version())
                .forPath(volumePath(volume.name()), ClusterNodes.json(gone)));
  }

  /**
   * The last mount, if it was not closed though the volume has no writer; else empty (paper §4.4,
   * phases 3 and 4). A mount without a user counts until it has confirmed the volume.
   */
  public Optional<WriterRecord> leftBehind(VolumeSpec volume) throws ClusterStoreException {
    String readers = WriterClaims.readersPath(volumePath(volume.name()));
    long newest = WriterClaims.mountEpochs(nodes.children(readers)).max().orElse(0);
    if (newest == 0 || writer(volume.name()).isPresent()) {
      return Optional.empty();
    }
    Optional<WriterRecord> last =
        nodes
            .read("a reader of " + volume.name(), readers + "/" + newest, WriterRecord.class)
            .map(Versioned::value);
    boolean isSettled =
        last.filter(WriterRecord::withoutUser).isPresent()
            && reports().confirmed(volume).filter(c -> c.mountEpoch() >= newest).isPresent();
    return isSettled ? Optional.empty() : last;
  }

  /** Removes a region's record. */
  public void deleteRrs(String volume, int region) throws ClusterStoreException {
    ClusterNodes.run(
        rrsName(volume, region), () -> nodes.client().delete().forPath(rrsPath(volume, region)));
  }

  /** Removes the records of a volume that is being deleted and has no writer. */
  public void finishDelete(String name) throws ClusterStoreException {
    String path = volumePath(name);
    String what = "volume " + name;
    List<String> regions = nodes.children(path + "/rrs");
    String readers = WriterClaims.readersPath(path);
    List<String> read = nodes.children(readers);
    ClusterNodes.run(
        what,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          for (String region : regions) {
            ops.add(nodes.deletion(path + "/rrs/" + region));
          }
          for (String reader : read) {
            ops.add(nodes.deletion(readers + "/" + reader));
          }
          if (nodes.client().checkExists().forPath(readers) != null) {
            ops.add(nodes.deletion(readers));
          }
          for (String child : List.of("/rrs", "/mountEpoch", "")) {
            ops.add(nodes.deletion(path + child));
          }
          return nodes.client().transaction().forOperations(ops);
        });
    reports().damage(name, new DamageRecord(0, List.of()));
    reports().forgetLosses(name);
    reports().forgetConfirmed(name);
  }

  /**
   * A region's record, empty when there is none yet. Anybody may have written it: see {@link
   * EpochLink#isGenuine}. In place of one that cannot be read stands one that nobody has signed.
   */
  public Optional<Versioned<RrsRecord>> rrs(String volume, int region)
      throws ClusterStoreException {
    return nodes.read(rrsName(volume, region), rrsPath(volume, region), ClusterStore::rrs);
  }

  private static RrsRecord rrs(byte[] data) throws IOException {
    try {
      RrsRecord record = ClusterNodes.parse(data, RrsRecord.class);
      return record == null ? UNREADABLE : record;
    } catch (JsonProcessingException junk) {
      return UNREADABLE;
    }
  }

  /** Creates a region's first record. */
  public Versioned<RrsRecord> createRrs(String volume, int region, RrsRecord record)
      throws ClusterStoreException {
    ClusterNodes.run(
        rrsName(volume, region),
        () -> nodes.client().create().forPath(rrsPath(volume, region), ClusterNodes.json(record)));
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
        ClusterNodes.run(
            rrsName(volume, region),
            () ->
                nodes
                    .client()
                    .setData()
                    .withVersion(expected)
                    .forPath(rrsPath(volume, region), ClusterNodes.json(record)));
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
    ClusterNodes.run(
        "the replicated region servers of " + volume,
        () -> {
          List<CuratorOp> ops = new ArrayList<>();
          for (RrsChange x : changes) {
            ops.add(
                nodes
                    .client()
                    .transactionOp()
                    .setData()
                    .withVersion(x.expected())
                    .forPath(rrsPath(volume, x.region()), ClusterNodes.json(x.record())));
          }
          return nodes.client().transaction().forOperations(ops);
        });
  }

  /**
   * Calls back, now and after each change, with a region's record; empty when there is none.
   * Changes during a lost connection are told when it returns.
   */
  public Watch watchRrs(
      String volume, int region, Watch.Callback<Optional<Versioned<RrsRecord>>> callback) {
    return nodes.watch(rrsPath(volume, region), () -> rrs(volume, region), callback);
  }

  /** The present writer; empty when there is none. */
  public Optional<Versioned<WriterRecord>> writer(String volume) throws ClusterStoreException {
    return claims(volume).present();
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
    return claims(volume.name()).acquire(volume, claim, onLost);
  }

  /**
   * The number of a volume's newest mount.
   *
   * @throws ClusterStoreException.Missing when the volume is missing or being deleted
   */
  public long newestMount(VolumeSpec volume) throws ClusterStoreException {
    long newest = claims(volume.name()).mountEpoch().value();
    requireActive(volume); // after the epoch, which another volume of this name has anew
    return newest;
  }

  /** Returns the version of the record of a volume that can be used. */
  int requireActive(VolumeSpec volume) throws ClusterStoreException {
    Versioned<VolumeRecord> found =
        readVolume(volume.name())
            .orElseThrow(() -> new ClusterStoreException.Missing("volume " + volume.name()));
    VolumeRecord now = found.value();
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
    return found.version();
  }

  /**
   * The records of all writers of a volume that may answer reads.
   *
   * @param claim tells which of them have ended for certain
   */
  public List<Reader> readers(String volume, WriterClaim claim) throws ClusterStoreException {
    return claims(volume).readers(claim);
  }

  /**
   * Removes every claim of this one's handle and the readers' records that belong to it, whatever
   * became of them. Whoever had it answers no reads any more, and claims nothing more.
   *
   * @param upTo the newest mount whose record goes
   */
  public void giveUpWriter(String volume, WriterClaim claim, long upTo)
      throws ClusterStoreException {
    claims(volume).giveUp(claim, upTo);
  }

  /** Removes the records of writers of a volume that answer no reads any more. */
  public void forgetReaders(String volume, List<Long> mountEpochs) throws ClusterStoreException {
    claims(volume).forget(mountEpochs);
  }

  /**
   * Registers a server until the watch is closed. Renews the registration after a lost session. Of
   * two servers with one name and this secret, the one with the higher start code wins.
   */
  public Watch registerServer(String node, ServerRecord record, byte[] secret)
      throws ClusterStoreException {
    ServerRegistration registration = new ServerRegistration(nodes, node, record, secret);
    registration.begin();
    return registration;
  }

  /** The registered servers by node name, sorted. */
  public Map<String, ServerRecord> servers() throws ClusterStoreException {
    Map<String, ServerRecord> servers = new TreeMap<>();
    for (String node : nodes.children("/servers")) {
      nodes
          .read("server " + node, ServerRegistration.path(node), ServerRecord::parse)
          .map(Versioned::value) // empty for a record that is no record
          .ifPresent(r -> servers.put(node, r));
    }
    return servers;
  }

  /** Calls back, now and after each change, with the registered servers. */
  public Watch watchServers(Watch.Callback<Map<String, ServerRecord>> callback) {
    return nodes.watch("/servers", this::servers, callback);
  }

  /** The servers that operators drain. */
  public DrainedServers drained() {
    return new DrainedServers(nodes);
  }

  /** The records of what sessions and servers have found out. */
  public ClusterReports reports() {
    return new ClusterReports(nodes);
  }

  private WriterClaims claims(String volume) {
    return new WriterClaims(this, nodes, volume, volumePath(volume));
  }

  ClusterNodes nodes() {
    return nodes;
  }

  /** Closes the ZooKeeper session, and with it watches, registrations and leases. */
  @Override
  public void close() {
    nodes.close();
  }

  /** Whether it was closed, so that every call fails. */
  public boolean isClosed() {
    return nodes.client().getState() == CuratorFrameworkState.STOPPED;
  }

  static String volumePath(String name) {
    return "/volumes/" + ClusterNodes.checked(name);
  }

  private static String rrsPath(String volume, int region) {
    return volumePath(volume) + "/rrs/" + region;
  }

  private static String rrsName(String volume, int region) {
    return "region " + region + " of volume " + volume;
  }
}
