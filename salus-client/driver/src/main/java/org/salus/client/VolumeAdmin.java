package org.salus.client;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.salus.client.SalusClient.CreateOptions;
import org.salus.client.cluster.Nodes;
import org.salus.client.cluster.WaitReason;
import org.salus.core.Reason;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.RrsRecord;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeDirectory;
import org.salus.host.zk.VolumeRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes and removes volumes, and replaces members, by the cluster's records. Calls block.
 * Thread-safe.
 */
final class VolumeAdmin {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeAdmin.class);

  /** HBase, which makes the tables, may take minutes on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Regions that are looked at in each turn of a wait. */
  private static final int AT_ONCE = 64;

  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final ClusterStore store;
  private final Nodes nodes;
  private final ClusterSettings cluster;
  private final byte[] secret;

  VolumeAdmin(ClusterStore store, Nodes nodes, ClusterSettings cluster, byte[] secret) {
    this.store = store;
    this.nodes = nodes;
    this.cluster = cluster;
    this.secret = secret;
  }

  private List<String> volumes() {
    return StoreFailures.typed(store, "", store::volumes);
  }

  /** See {@link SalusClient#create}. */
  void create(String name, long size, CreateOptions options) {
    int block = options.blockSize();
    requireShape(name, size, block);
    int servers = StoreFailures.typed(store, name, this::serversThatFit);
    int regions =
        options.regions() == 0
            ? Math.max(1, Math.min(servers, CreateOptions.MOST_REGIONS))
            : options.regions();
    VolumeSpec spec =
        new VolumeSpec(
            name,
            ThreadLocalRandom.current().nextLong(),
            block,
            size / block,
            regions,
            options.synced(),
            cluster.segmentSize(),
            options.strict());
    if (servers == 0) {
      throw new SalusException.Unavailable(
          "no server of Salus is running; start the cluster first", null);
    }
    if (servers > 0 && !volumes().contains(name) && repairs().withoutRecords().contains(name)) {
      throw new SalusException.AlreadyExists(
          "HDFS has files of a volume "
              + name
              + " whose records ZooKeeper has lost: SalusClient.repairs rebuilds them; or choose"
              + " another name");
    }
    if (!volumes().contains(name)) {
      Reason inTheWay = StoreFailures.typed(store, name, () -> store.reports().tables()).get(name);
      if (inTheWay != null) {
        throw new SalusException.AlreadyExists(inTheWay.words());
      }
    }
    StoreFailures.typed(
        store,
        name,
        () -> {
          store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
          return null;
        });
    SalusClient.awaitMade(() -> awaitServing(spec));
  }

  /** Refuses what no volume can be, in the caller's units. */
  static void requireShape(String name, long size, int block) {
    // The constructor checks the name and the block size.
    new VolumeSpec(name, 0, block, 1, 1, false, VolumeSpec.MAX_SEGMENT);
    if (size < block || size > VolumeSpec.MAX_BYTES) {
      throw new IllegalArgumentException(
          "size " + size + ": use " + block + " to " + VolumeSpec.MAX_BYTES + " bytes (16 TiB)");
    }
    if (size % block != 0) {
      throw new IllegalArgumentException(
          "size " + size + ": use a multiple of the block size " + block);
    }
  }

  /** The number of servers with which this client can work. */
  int serversThatFit() throws ClusterStoreException {
    Map<String, ServerRecord> servers = store.servers();
    Map<String, Reason> strangers = ServerRecord.strangers(servers, secret);
    if (!strangers.isEmpty() && strangers.size() == servers.size()) {
      throw new SalusException.Incompatible(Reason.noServerFits("this client", strangers).words());
    }
    strangers.forEach((node, why) -> LOG.warn("{} {}", node, why.words()));
    return servers.size() - strangers.size();
  }

  /** Waits until all regions serve. Gives up when for 5 min no other one has begun to. */
  void awaitServing(VolumeSpec spec) {
    List<Integer> left = new ArrayList<>();
    for (int r = 0; r < spec.regionCount(); r++) {
      left.add(r);
    }
    while (!left.isEmpty()) {
      awaitOne(spec, left, rrs -> rrs.state() == RrsRecord.State.SERVING);
    }
  }

  /**
   * Waits until the record of one of these regions is as {@code wanted}, and removes those that
   * are; logs every 10 s what it waits for.
   */
  private void awaitOne(VolumeSpec spec, List<Integer> regions, Predicate<RrsRecord> wanted) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    long told = System.nanoTime();
    while (!regions
        .subList(0, Math.min(AT_ONCE, regions.size()))
        .removeIf(r -> record(spec, r).filter(wanted).isPresent())) {
      if (!StoreFailures.typed(store, spec.name(), () -> store.isThere(spec))) {
        throw new SalusException.NotFound("volume " + spec.name() + " was deleted meanwhile");
      }
      if (System.nanoTime() > end) {
        throw new SalusException.Unavailable(
            "volume "
                + spec.name()
                + " does not serve yet: "
                + missing(spec, regions.get(0))
                + "; look at the master's log",
            null);
      }
      if (System.nanoTime() - told > TELL_NANOS) {
        told = System.nanoTime();
        LOG.warn("volume {} waits: {}", spec.name(), missing(spec, regions.get(0)));
      }
      SalusClient.pause();
    }
  }

  /** What a region waits for, in words. */
  private String missing(VolumeSpec spec, int region) {
    Reason table =
        StoreFailures.typed(store, spec.name(), () -> store.reports().tables()).get(spec.name());
    return table != null
        ? table.words()
        : WaitReason.with(
            StoreFailures.typed(store, spec.name(), () -> store.reports().trouble()),
            WaitReason.region(region, record(spec, region).orElse(null)));
  }

  private Optional<RrsRecord> record(VolumeSpec spec, int region) {
    return StoreFailures.typed(store, spec.name(), () -> rrs(spec, region)).map(Versioned::value);
  }

  private Optional<Versioned<RrsRecord>> rrs(VolumeSpec spec, int region)
      throws ClusterStoreException {
    return VolumeDirectory.read(store, spec, region, new Signer(secret));
  }

  /** See {@link SalusClient#repairs}. */
  Repairs repairs() {
    Map<String, ServerRecord> servers =
        new TreeMap<>(StoreFailures.typed(store, "", store::servers));
    if (servers.isEmpty()) {
      throw new SalusException.Unavailable(
          "no server of Salus is running; start the cluster first", null);
    }
    StoreFailures.typed(store, "", this::serversThatFit);
    servers.keySet().removeAll(ServerRecord.strangers(servers, secret).keySet());
    return new Repairs(
        store, new VolumeRepair(new DiskSurvey(nodes), servers, secret), this::awaitServing);
  }

  /** See {@link SalusClient#replace}. */
  void replace(String name, int region, String node) {
    VolumeSpec spec = StoreFailures.typed(store, name, () -> store.volume(name)).spec();
    if (region < 0 || region >= spec.regionCount()) {
      throw new IllegalArgumentException(
          "volume "
              + name
              + " has regions 0 to "
              + (spec.regionCount() - 1)
              + ", and no region "
              + region);
    }
    int before = StoreFailures.typed(store, name, () -> endEpoch(spec, region, node));
    List<Integer> one = new ArrayList<>(List.of(region));
    awaitOne(spec, one, rrs -> rrs.epoch() > before && rrs.state() == RrsRecord.State.SERVING);
    List<String> members =
        StoreFailures.typed(store, name, () -> rrs(spec, region))
            .map(now -> now.value().nodes())
            .orElse(List.of());
    if (members.contains(node)) {
      throw new SalusException.Unavailable(
          "region "
              + region
              + " of volume "
              + name
              + " has to go on with "
              + node
              + ", since no other server can take its "
              + "place: start another one with its DataNode",
          null);
    }
  }

  /** Ends the region's epoch. Returns the number of the epoch that ended. */
  private int endEpoch(VolumeSpec spec, int region, String node) throws ClusterStoreException {
    while (true) {
      Optional<Versioned<RrsRecord>> now = rrs(spec, region);
      RrsRecord rrs = now.map(Versioned::value).orElse(null);
      if (rrs == null || rrs.state() != RrsRecord.State.SERVING) {
        throw new SalusException.Unavailable(
            WaitReason.region(region, rrs) + ": wait until it serves", null);
      }
      if (!rrs.nodes().contains(node)) {
        throw new IllegalArgumentException(
            node
                + " is no member of region "
                + region
                + " of volume "
                + spec.name()
                + "; members are "
                + rrs.nodes());
      }
      try {
        store.replaceRrs(
            spec.name(),
            region,
            now.get().version(),
            rrs.broken(Cause.OPERATOR, node, "an operator wanted " + node + " out"));
        return rrs.epoch();
      } catch (ClusterStoreException.Conflict raced) {
        LOG.debug("region {} of volume {} has another epoch meanwhile", region, spec.name());
      }
    }
  }

  /** Tells the way out of a volume that has a writer and is to be deleted. */
  static <T> T toDelete(String name, StoreFailures.Call<T> begin) throws ClusterStoreException {
    try {
      return begin.call();
    } catch (ClusterStoreException.Busy busy) {
      throw SalusException.Busy.toDelete(
          name, busy.writer().holder(), Instant.ofEpochMilli(busy.writer().since()));
    }
  }

  /** See {@link SalusClient#delete}. */
  void delete(String name, boolean force) {
    VolumeSpec deleted =
        StoreFailures.typed(
            store, name, () -> toDelete(name, () -> store.beginDelete(name, force)));
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (StoreFailures.typed(store, name, () -> store.isThere(deleted))) {
      if (System.nanoTime() > end) {
        throw new SalusException.Unavailable(
            "volume "
                + name
                + " is marked as deleted, but is not gone yet; "
                + WaitReason.with(
                    StoreFailures.typed(store, name, () -> store.reports().trouble()),
                    "look at the master's log"),
            null);
      }
      SalusClient.pause();
    }
  }
}
