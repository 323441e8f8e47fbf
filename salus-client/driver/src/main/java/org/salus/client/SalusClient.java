package org.salus.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.salus.core.VolumeSpec;
import org.salus.core.replacement.Cause;
import org.salus.core.session.SessionConfig;
import org.salus.host.DaemonThreads;
import org.salus.host.FaultHandler;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.Settings;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.RrsRecord;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Versioned;
import org.salus.host.zk.VolumeRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way into a Salus cluster: creates, opens, lists and deletes volumes. Calls block; failures
 * are {@link SalusException}s with a one-line message that says what to do. Thread-safe.
 */
public final class SalusClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SalusClient.class);
  private static final Duration ZOOKEEPER_SESSION = Duration.ofSeconds(15);
  private static final Duration CREATE_WAIT = Duration.ofSeconds(90);

  /**
   * The mount itself ends with what it waited for; this is for a client that does not get to it.
   */
  private static final Duration MOUNT_GRACE = Duration.ofSeconds(10);

  /** More than all the rounds of {@link Inspection} take. */
  private static final Duration INFO_PATIENCE = Duration.ofSeconds(30);

  private static final Duration LIST_PATIENCE = Duration.ofSeconds(3);

  /** They only wait. */
  private static final int LIST_THREADS = 64;

  private static final int CLOSE_SECONDS = 10;
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int PAGE_BYTES = 8 << 10;

  /** Linux chooses one at random whenever it starts. */
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private static final int LEAST_PAGES = 64;

  /**
   * How a volume is made.
   *
   * @param blockSize bytes
   * @param synced whether every write is on disk before it is acknowledged
   * @param regions over which the blocks are spread; 0 is one for each server that runs now, at
   *     most {@link #MOST_REGIONS}
   */
  public record CreateOptions(int blockSize, boolean synced, int regions) {
    /**
     * With more regions a batch of small writes comes apart into too many pieces, unless it is
     * asked for.
     */
    public static final int MOST_REGIONS = 8;

    /**
     * 4 KiB blocks, acknowledged when three DataNodes have them in memory; as many regions as suit
     * the cluster.
     */
    public static final CreateOptions DEFAULT = new CreateOptions(VolumeSpec.MIN_BLOCK, false, 0);
  }

  private final ClientSettings settings;
  private final ClusterSettings cluster;
  private final ClusterStore store;
  private final Loops loops;
  private final Nodes nodes;
  private final ExecutorService blocking =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-client"));
  private final Set<RemoteVolume> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger nextLoop = new AtomicInteger();

  private SalusClient(ClientSettings settings, ClusterSettings cluster, ClusterStore store) {
    this.settings = settings;
    this.cluster = cluster;
    this.store = store;
    this.loops = new Loops("salus-client", 1, FaultHandler.stopping("client", this::close));
    this.nodes = new Nodes(store, loops);
  }

  /**
   * Connects to the cluster of {@code salus.zookeeper.quorum}.
   *
   * @param configuration keys as in docs/configuration.md; those that are absent have their
   *     defaults
   * @throws IllegalArgumentException when a setting is nonsense, or is none
   */
  public static SalusClient connect(Map<String, String> configuration) {
    Settings.requireKnown(configuration);
    ClientSettings settings = ClientSettings.from(configuration);
    ClusterSettings cluster = ClusterSettings.from(configuration);
    try {
      return new SalusClient(
          settings,
          cluster,
          ClusterStore.connect(
              settings.zookeeperQuorum(), settings.connectTimeout(), ZOOKEEPER_SESSION));
    } catch (ClusterStoreException failed) {
      throw new SalusException.Unavailable(
          failed.getMessage() + "; is the cluster running?", failed);
    }
  }

  /** A call on the cluster's records. */
  interface Call<T> {
    T call() throws ClusterStoreException;
  }

  static <T> T typed(String volume, Call<T> call) {
    try {
      return call.call();
    } catch (ClusterStoreException.Missing missing) {
      throw new SalusException.NotFound(
          "there is no volume " + volume + "; 'salus volume list' shows those there are");
    } catch (ClusterStoreException.Exists exists) {
      throw new SalusException.AlreadyExists(
          "volume " + volume + " exists already; choose another name, or delete it first");
    } catch (ClusterStoreException.Busy busy) {
      throw new SalusException.Busy(
          volume, busy.writer().holder(), Instant.ofEpochMilli(busy.writer().since()));
    } catch (ClusterStoreException.Format format) {
      throw new SalusException.Incompatible(format.getMessage());
    } catch (ClusterStoreException failed) {
      throw new SalusException.Unavailable(failed.getMessage(), failed);
    }
  }

  /**
   * Makes a volume that reads as zeros, and returns when it can be opened.
   *
   * @param size bytes, a multiple of the block size, at most 16 TiB
   * @throws IllegalArgumentException when no volume can have that name, size, block size or number
   *     of regions
   */
  public void create(String name, long size, CreateOptions options) {
    int block = options.blockSize();
    if (block > 0 && size % block != 0) {
      throw new IllegalArgumentException(
          "size " + size + ": use a multiple of the block size " + block);
    }
    int servers = typed(name, this::serversThatFit);
    long blocks = block > 0 ? size / block : 0;
    int regions =
        options.regions() == 0
            ? Math.max(1, Math.min(servers, CreateOptions.MOST_REGIONS))
            : options.regions();
    VolumeSpec spec =
        new VolumeSpec(
            name,
            ThreadLocalRandom.current().nextLong(),
            block,
            blocks,
            regions,
            options.synced(),
            cluster.segmentSize());
    if (servers == 0) {
      throw new SalusException.Unavailable(
          "no server of Salus is running; start the cluster first", null);
    }
    if (servers > 0 && !list().contains(name) && repairs().withoutRecords().contains(name)) {
      throw new SalusException.AlreadyExists(
          "HDFS has files of a volume "
              + name
              + " whose records ZooKeeper has lost: 'salus volume repair "
              + name
              + "' rebuilds them; or choose another name");
    }
    typed(
        name,
        () -> {
          store.createVolume(new VolumeRecord(spec, VolumeRecord.State.ACTIVE));
          return null;
        });
    awaitServing(spec);
  }

  /** How many servers there are with which this client can work. */
  private int serversThatFit() throws ClusterStoreException {
    Map<String, ServerRecord> servers = store.servers();
    Map<String, String> strangers = ServerRecord.strangers(servers, secret());
    if (!strangers.isEmpty() && strangers.size() == servers.size()) {
      Map.Entry<String, String> one = strangers.entrySet().iterator().next();
      throw new SalusException.Incompatible(
          "this client can work with none of the servers "
              + strangers.keySet()
              + ": "
              + one.getKey()
              + " "
              + one.getValue());
    }
    strangers.forEach((node, why) -> LOG.warn("{} {}", node, why));
    return servers.size() - strangers.size();
  }

  private void awaitServing(VolumeSpec spec) {
    for (int r = 0; r < spec.regionCount(); r++) {
      await(spec, r, rrs -> rrs.state() == RrsRecord.State.SERVING);
    }
  }

  /** Waits for a region's record; tells from time to time for what. */
  private void await(VolumeSpec spec, int region, Predicate<RrsRecord> wanted) {
    long end = System.nanoTime() + CREATE_WAIT.toNanos();
    long told = System.nanoTime();
    Optional<Versioned<RrsRecord>> now = typed(spec.name(), () -> store.rrs(spec.name(), region));
    while (!now.map(Versioned::value).filter(wanted).isPresent()) {
      String how = WaitReason.region(region, now.map(Versioned::value).orElse(null));
      if (System.nanoTime() > end) {
        throw new SalusException.Unavailable(
            "volume " + spec.name() + " does not serve yet: " + how + "; look at the master's log",
            null);
      }
      if (System.nanoTime() - told > TELL_NANOS) {
        told = System.nanoTime();
        LOG.warn("volume {} waits: {}", spec.name(), how);
      }
      pause();
      now = typed(spec.name(), () -> store.rrs(spec.name(), region));
    }
  }

  static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SalusException.Unavailable("interrupted", e);
    }
  }

  /** The names of the servers that are registered, sorted. */
  public List<String> servers() {
    return typed("", () -> List.copyOf(store.servers().keySet()));
  }

  /** The names of all volumes, sorted. */
  public List<String> list() {
    return typed("", store::volumes);
  }

  /** What is known of a volume; {@link SalusException.NotFound} when there is none. */
  public VolumeInfo info(String name) {
    return new Inspection(store, nodes, INFO_PATIENCE).info(name);
  }

  /**
   * What is known of every volume, sorted by name. Many volumes are asked side by side: when no
   * server answers, this takes three seconds, and half a second more for every 64 volumes.
   */
  public List<VolumeInfo> infos() {
    List<String> names = list();
    Inspection inspection = new Inspection(store, nodes, LIST_PATIENCE);
    ExecutorService askers =
        Executors.newFixedThreadPool(
            Math.max(1, Math.min(names.size(), LIST_THREADS)), DaemonThreads.named("salus-info"));
    try {
      return names.stream()
          .map(name -> CompletableFuture.supplyAsync(() -> present(inspection, name), askers))
          .toList()
          .stream()
          .flatMap(asked -> asked.join().stream())
          .toList();
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof SalusException known ? known : failed;
    } finally {
      askers.shutdownNow();
    }
  }

  /** Empty when the volume was deleted since it was listed. */
  private static Optional<VolumeInfo> present(Inspection inspection, String name) {
    try {
      return Optional.of(inspection.info(name));
    } catch (SalusException.NotFound deleted) {
      return Optional.empty();
    }
  }

  /**
   * For volumes whose records ZooKeeper has lost; {@link SalusException.Unavailable} while no
   * server runs.
   */
  public Repairs repairs() {
    Map<String, ServerRecord> servers = typed("", store::servers);
    if (servers.isEmpty()) {
      throw new SalusException.Unavailable(
          "no server of Salus is running; start the cluster first", null);
    }
    typed("", this::serversThatFit);
    return new Repairs(
        store, new VolumeRepair(new DiskSurvey(nodes), servers, secret()), this::awaitServing);
  }

  /**
   * Has a region go on without a member, as before work on its server, and returns when it does.
   * The server may join again later, after half a minute at the earliest.
   *
   * @param node the member, as {@link VolumeInfo} names it
   * @throws IllegalArgumentException when there is no such region, or no such member of it
   * @throws SalusException.Unavailable when the region does not serve, or nobody can take the
   *     member's place
   */
  public void replace(String name, int region, String node) {
    VolumeSpec spec = typed(name, () -> store.volume(name)).spec();
    if (region < 0 || region >= spec.regionCount()) {
      throw new IllegalArgumentException(
          "volume "
              + name
              + " has regions 0 to "
              + (spec.regionCount() - 1)
              + ", and no region "
              + region);
    }
    int before = typed(name, () -> endEpoch(spec, region, node));
    await(spec, region, rrs -> rrs.epoch() > before && rrs.state() == RrsRecord.State.SERVING);
    List<String> members =
        typed(name, () -> store.rrs(name, region))
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
              + ", for no other server can take its "
              + "place: start another one with its DataNode",
          null);
    }
  }

  /** Returns the epoch that is over. */
  private int endEpoch(VolumeSpec spec, int region, String node) throws ClusterStoreException {
    while (true) {
      Optional<Versioned<RrsRecord>> now = store.rrs(spec.name(), region);
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

  /**
   * Deletes a volume with all its data, and returns when it is gone.
   *
   * @param force also when it is mounted: its writer is put out
   */
  public void delete(String name, boolean force) {
    typed(
        name,
        () -> {
          store.beginDelete(name, force);
          return null;
        });
    long end = System.nanoTime() + CREATE_WAIT.toNanos();
    while (list().contains(name)) {
      if (System.nanoTime() > end) {
        throw new SalusException.Unavailable(
            "volume "
                + name
                + " is marked as deleted, but is not gone yet; look at the master's log",
            null);
      }
      pause();
    }
  }

  /** Mounts a volume for writing; {@link SalusException.Busy} when somebody else has it. */
  public Volume open(String name) {
    return open(name, false);
  }

  /**
   * Mounts a volume for writing.
   *
   * @param force take it from whoever has it: from then on their writes fail, and nothing of them
   *     becomes visible
   */
  public Volume open(String name, boolean force) {
    return open(name, force, "");
  }

  /**
   * Mounts a volume for writing, as a service that only one process at a time can be: it takes the
   * volume over from its own earlier process when that has ended, without waiting for the end of
   * that one's session.
   *
   * @param force take it from anybody
   * @param address what nobody else on this host can have at the same time, such as a port to
   *     listen on
   */
  public Volume openAsService(String name, boolean force, String address) {
    String machine = machine();
    return open(
        name, force, machine.isEmpty() ? "" : address + " on " + host() + " (" + machine + ")");
  }

  private Volume open(String name, boolean force, String service) {
    VolumeSpec spec = typed(name, () -> store.volume(name)).spec();
    typed(name, this::serversThatFit);
    VolumeLoop loop =
        VolumeLoop.of(loops.loop(Math.floorMod(nextLoop.getAndIncrement(), loops.count())));
    Room room = new Room();
    RequestQueue requests = new RequestQueue(spec, loop, room);
    MountKeeper keeper =
        new MountKeeper(
            spec,
            new MountTools(
                sessionConfig(spec),
                secret(),
                WriterStore.of(store, name, holder(), service),
                session -> new NodeTransport(spec, session, store, nodes),
                loop,
                blocking),
            room,
            requests);
    RemoteVolume volume = new RemoteVolume(spec, loop, requests, keeper);
    WriterStore.Lease lease = typed(name, () -> keeper.acquire(force));
    loop.execute(() -> keeper.mount(lease));
    open.removeIf(RemoteVolume::isOver);
    open.add(volume);
    await(volume, keeper.opened());
    return volume;
  }

  private void await(RemoteVolume volume, CompletableFuture<Void> opened) {
    try {
      opened.get(settings.requestTimeout().plus(MOUNT_GRACE).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException failed) {
      throw failed.getCause() instanceof SalusException known
          ? known
          : new CompletionException(failed.getCause());
    } catch (TimeoutException late) {
      volume.abandon();
      throw new SalusException.TimedOut(
          "volume "
              + volume.name()
              + " could not be mounted within "
              + settings.requestTimeout().toSeconds()
              + " s: not every region serves");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      volume.abandon();
      throw new SalusException.Unavailable("interrupted while mounting volume " + volume.name(), e);
    }
  }

  private SessionConfig sessionConfig(VolumeSpec spec) {
    SessionConfig d = SessionConfig.defaults();
    int pages =
        (int)
            Math.min(
                Integer.MAX_VALUE,
                Math.max(LEAST_PAGES, settings.treeCache() / spec.regionCount() / PAGE_BYTES));
    return new SessionConfig(
        settings.batchesOutstanding(),
        d.maxBatchPuts(),
        settings.resendAfter().toNanos(),
        settings.requestTimeout().toNanos(),
        pages);
  }

  private byte[] secret() {
    return cluster.secret().getBytes(StandardCharsets.UTF_8);
  }

  /** Host, process and program, for those who find the volume mounted. */
  private static String holder() {
    return System.getProperty("user.name")
        + "@"
        + host()
        + " (process "
        + ProcessHandle.current().pid()
        + ")";
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException nameless) {
      return "unknown host";
    }
  }

  /** What no other machine has, for hosts may have the same name; empty where that is not known. */
  private static String machine() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException none) {
      return "";
    }
  }

  /**
   * Ends the volumes that are still open, whose requests fail (close those first), then what they
   * need: so each gives its lease back. Waits for that up to some seconds, except when called on a
   * loop.
   */
  @Override
  public void close() {
    open.removeIf(RemoteVolume::isOver);
    boolean mayWait = IntStream.range(0, loops.count()).noneMatch(i -> loops.loop(i).inLoop());
    CompletableFuture<?>[] over =
        open.stream().map(RemoteVolume::abandon).toArray(CompletableFuture<?>[]::new);
    if (mayWait) {
      CompletableFuture.allOf(over).completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS).join();
    }
    nodes.close();
    blocking.shutdown();
    if (mayWait) {
      awaitBlocking();
    }
    loops.close();
    store.close();
    LOG.debug("client closed");
  }

  private void awaitBlocking() {
    try {
      if (!blocking.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "ZooKeeper does not answer; volumes that were open are free when the session there ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
