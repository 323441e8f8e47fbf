package org.salus.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.salus.client.cluster.HandleNote;
import org.salus.client.cluster.MountTools;
import org.salus.client.cluster.NodeTransport;
import org.salus.client.cluster.Nodes;
import org.salus.client.cluster.WriterStore;
import org.salus.client.loop.CallbackPool;
import org.salus.client.loop.GuardedLoop;
import org.salus.client.loop.VolumeLoop;
import org.salus.core.Signer;
import org.salus.core.VolumeSpec;
import org.salus.core.mount.EarlierReaders;
import org.salus.core.mount.LossRecord;
import org.salus.core.mount.MountConfig;
import org.salus.core.mount.MountRules;
import org.salus.core.session.SessionConfig;
import org.salus.host.DaemonThreads;
import org.salus.host.FaultHandler;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.Quorum;
import org.salus.host.config.Settings;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.WriterClaim;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry point to a Salus cluster: creates, opens, lists and deletes volumes (paper §4). Calls
 * block. Every failure is a {@link SalusException} with a one-line message that says what to do.
 * Thread-safe.
 */
public final class SalusClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SalusClient.class);
  private static final MountConfig LEASES = MountConfig.defaults();

  /**
   * How long an open waits for a handle of the same volume that this client has closed, and whose
   * claim may stand. It is longer than the pause between two tries to give a claim up.
   */
  private static final Duration ENDING_WAIT = Duration.ofSeconds(60);

  /**
   * Added to the request timeout for a mount. A mount times itself out first and then says what it
   * waited for; this bounds the wait of a client that cannot get that far.
   */
  private static final Duration MOUNT_GRACE = Duration.ofSeconds(10);

  /** More than all the rounds of {@link Inspection} take. */
  private static final Duration INFO_PATIENCE = Duration.ofSeconds(30);

  private static final Duration LIST_PATIENCE = Duration.ofSeconds(3);

  private static final int CLOSE_SECONDS = 10;
  private static final int PAGE_BYTES = 8 << 10;

  /** Holds a random id that Linux chooses at each boot. */
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private static final int LEAST_PAGES = 64;

  /**
   * The choices for a new volume.
   *
   * @param blockSize bytes
   * @param synced whether every write is on disk before it is acknowledged
   * @param regions number of regions over which the blocks are spread; 0 means one for each running
   *     server, at most {@link #MOST_REGIONS}
   * @param strict whether everything acknowledged is on three replicas at all times. Requests wait
   *     while a region has fewer than three servers
   */
  public record CreateOptions(int blockSize, boolean synced, int regions, boolean strict) {
    /**
     * Most regions that are chosen without being asked for. More would split a batch of small
     * writes into too many sub-batches.
     */
    public static final int MOST_REGIONS = 8;

    /** Blocks of 4 KiB, replicated durability, and as many regions as suit the cluster. */
    public static final CreateOptions DEFAULT = new CreateOptions(VolumeSpec.MIN_BLOCK, false, 0);

    /** Choices for a volume that is not strict. */
    public CreateOptions(int blockSize, boolean synced, int regions) {
      this(blockSize, synced, regions, false);
    }
  }

  private final ClientSettings settings;
  private final ClusterSettings cluster;
  private final ClusterStore store;
  private final Loops loops;
  private final Nodes nodes;
  private final VolumeAdmin admin;
  private final RequestMemory memory;
  private final ExecutorService callbacks = CallbackPool.create();

  private final ExecutorService blocking =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-client"));
  private final OpenVolumes volumes = new OpenVolumes();

  /** What this client has seen of the readers of the volumes that it tried to open, by id. */
  private final Map<Long, EarlierReaders> earlier = new ConcurrentHashMap<>();

  private final AtomicInteger nextLoop = new AtomicInteger();
  private final AtomicBoolean closed = new AtomicBoolean();

  private SalusClient(ClientSettings settings, ClusterSettings cluster, ClusterStore store) {
    this.settings = settings;
    this.cluster = cluster;
    this.store = store;
    this.loops = new Loops("salus-client", 1, FaultHandler.stopping("client", this::close));
    this.nodes = new Nodes(store, loops, secret());
    this.admin = new VolumeAdmin(store, nodes, cluster, secret());
    this.memory =
        new RequestMemory(
            settings.outstandingBytes() > 0 ? settings.outstandingBytes() : RequestMemory.ofHeap());
  }

  /**
   * Connects to the cluster that the setting {@code salus.zookeeper.quorum} names.
   *
   * @param configuration settings by the keys of docs/configuration.md; an absent key has its
   *     default
   * @throws IllegalArgumentException when a value is invalid or a key of Salus is unknown
   * @throws SalusException.Unavailable when ZooKeeper does not answer, or none of its hosts is
   *     known
   */
  public static SalusClient connect(Map<String, String> configuration) {
    Objects.requireNonNull(configuration, "configuration");
    Settings.requireKnown(configuration);
    ClientSettings settings = ClientSettings.from(configuration);
    ClusterSettings cluster = ClusterSettings.from(configuration);
    try {
      Quorum.parse(settings.zookeeperQuorum()).requireKnown(ClientSettings.QUORUM.key());
      return new SalusClient(
          settings,
          cluster,
          ClusterStore.connect(
              settings.zookeeperQuorum(),
              settings.connectTimeout(),
              Duration.ofNanos(LEASES.sessionNanos())));
    } catch (ClusterStoreException failed) {
      throw new SalusException.Unavailable(
          failed.getMessage() + "; is the cluster running?", failed);
    } catch (IOException unknownHost) {
      throw new SalusException.Unavailable(unknownHost.getMessage(), unknownHost);
    }
  }

  /**
   * Creates a volume that reads as zeros. Returns when it can be opened.
   *
   * @param size bytes, a multiple of the block size, at most 16 TiB
   * @throws IllegalArgumentException when no volume can have that name, size, block size or number
   *     of regions
   * @throws SalusException.AlreadyExists when a volume has this name, or HDFS has files of one
   * @throws SalusException.Incompatible when this client can work with none of the servers
   * @throws SalusException.Unavailable when no server runs, or when for 5 min no other region has
   *     begun to serve. In the latter case the volume exists, and the message says so
   */
  public void create(String name, long size, CreateOptions options) {
    admin.create(
        Objects.requireNonNull(name, "name"), size, Objects.requireNonNull(options, "options"));
  }

  /** Waits for a volume that exists. A failure says what becomes of it. */
  static void awaitMade(Runnable wait) {
    try {
      wait.run();
    } catch (SalusException.Unavailable late) {
      throw new SalusException.Unavailable(
          late.getMessage()
              + "; the volume exists, and serves as soon as that is over;"
              + " SalusClient.delete removes it",
          late);
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

  /** The names of the registered servers, sorted. */
  public List<String> servers() {
    return StoreFailures.typed(store, "", () -> List.copyOf(store.servers().keySet()));
  }

  /** Shows servers, and takes members away from those that are to go. */
  public ServerAdmin serverAdmin() {
    Signer signer = new Signer(secret());
    return new ServerAdmin(store, () -> ServerLook.read(store, signer));
  }

  /** The names of all volumes, sorted. */
  public List<String> list() {
    return StoreFailures.typed(store, "", store::volumes);
  }

  /**
   * Describes a volume. Waits up to 30 s for members' answers.
   *
   * @throws SalusException.NotFound when there is no such volume
   */
  public VolumeInfo info(String name) {
    Objects.requireNonNull(name, "name");
    return new Inspection(store, nodes, secret(), INFO_PATIENCE).info(name);
  }

  /**
   * Describes every volume, sorted by name. One whose records cannot be read is there with the
   * reason. Asks about many volumes at the same time. When no server answers, this takes three
   * seconds, and half a second more for every 64 volumes.
   */
  public List<VolumeInfo> infos() {
    return infos(list());
  }

  /** The same of these volumes. One that does not exist is left out. */
  public List<VolumeInfo> infos(Collection<String> names) {
    return new Inspection(store, nodes, secret(), LIST_PATIENCE).infos(names);
  }

  /**
   * Says that the user of a volume knows of these {@linkplain VolumeInfo#losses losses}. Once all
   * are known, the volume is healthy again. Changes nothing of the volume itself. To say it again
   * is harmless.
   *
   * @param seen of {@link #info}
   * @return what {@code info} still tells of: it was found since, or is worse than what was seen
   * @throws SalusException.NotFound when there is no such volume
   */
  public List<VolumeInfo.Loss> acceptLosses(String name, Collection<VolumeInfo.Loss> seen) {
    Objects.requireNonNull(name, "name");
    List<LossRecord.Loss> noted = seen.stream().map(VolumeInfo.Loss::noted).toList();
    return StoreFailures.typed(
        store,
        name,
        () -> VolumeInfo.Loss.of(store.reports().acceptLosses(store.volume(name).spec(), noted)));
  }

  /**
   * Access to the repair of volumes whose records ZooKeeper has lost.
   *
   * @throws SalusException.Unavailable while no server runs
   */
  public Repairs repairs() {
    return admin.repairs();
  }

  /**
   * Replaces a member of a region, for example before work on its server. Returns when the next
   * epoch serves. The server may join the region again, after half a minute at the earliest.
   *
   * @param node the member's server, as {@link VolumeInfo} names it
   * @throws IllegalArgumentException when the volume has no such region or the region no such
   *     member
   * @throws SalusException.Unavailable when the region does not serve, or no other server can take
   *     the member's place
   */
  public void replace(String name, int region, String node) {
    admin.replace(
        Objects.requireNonNull(name, "name"), region, Objects.requireNonNull(node, "node"));
  }

  /**
   * Deletes a volume with all its data. Returns when it is gone.
   *
   * @param force whether to delete it even when it is mounted; its session then ends
   * @throws SalusException.Busy when it is mounted and {@code force} is false
   * @throws SalusException.NotFound when there is no such volume
   * @throws SalusException.Unavailable when it is not gone within 5 min
   */
  public void delete(String name, boolean force) {
    admin.delete(Objects.requireNonNull(name, "name"), force);
  }

  /**
   * Mounts a volume for writing, with {@link OpenOptions#DEFAULT}.
   *
   * @throws SalusException.Busy when another client has it mounted, or another handle of this one
   */
  public Volume open(String name) {
    return open(name, OpenOptions.DEFAULT);
  }

  /**
   * Mounts a volume for writing, and takes it over if asked to.
   *
   * @param force see {@link OpenOptions#force}
   * @throws SalusException.Busy when another client has it mounted and {@code force} is false
   */
  public Volume open(String name, boolean force) {
    return open(name, OpenOptions.DEFAULT.withForce(force));
  }

  /**
   * Mounts a volume for writing. Waits for a handle of the volume that this client is closing. If
   * the writer before was not closed, it may still read: then writes, and reads after the first
   * one, take up to 10 s longer (docs/protocol.md, "Why reads need one").
   *
   * @throws SalusException.Busy when another client still has it mounted after the time to wait, or
   *     at once when this client has it open
   * @throws SalusException.NotFound when there is no such volume
   * @throws SalusException.TimedOut when not every region serves within the request timeout
   * @throws SalusException.Closed when this client is closed
   */
  public Volume open(String name, OpenOptions options) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(options, "options");
    return patiently(options.patience(), () -> open(name, options, ""));
  }

  /** Tries again while another client has the volume. */
  static Volume patiently(Duration patience, Supplier<Volume> open) {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return open.get();
      } catch (SalusException.Busy busy) {
        if (busy.inThisClient() || System.nanoTime() - end >= 0) {
          throw busy;
        }
        pause();
      }
    }
  }

  /**
   * Mounts a volume for writing as a service that runs in one process at a time. When the service's
   * earlier process has ended, this one takes the volume over at once. It does not wait until
   * ZooKeeper ends the earlier process's session.
   *
   * @param options {@link OpenOptions#patience} does not count
   * @param address something that only one process on this machine can have at a time, such as a
   *     port to listen on
   * @param whenOver told once why the volume is over, whether it was closed, deleted or taken over.
   *     Called on the callback executor
   */
  public Volume openAsService(
      String name, OpenOptions options, String address, Consumer<SalusException> whenOver) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(whenOver, "whenOver");
    String machine = machine();
    RemoteVolume volume =
        open(
            name,
            options,
            machine.isEmpty() ? "" : address + " on " + host() + " (" + machine + ")");
    volume.over().thenAcceptAsync(whenOver, callbacks(options));
    return volume;
  }

  /** The same with {@link OpenOptions#DEFAULT}, and {@code force} as {@link OpenOptions#force}. */
  public Volume openAsService(
      String name, boolean force, String address, Consumer<SalusException> whenOver) {
    return openAsService(name, OpenOptions.DEFAULT.withForce(force), address, whenOver);
  }

  /**
   * Mounts a volume that has no writer, without a user, and closes it: commits what a crashed
   * client has left in order, and checks the volume's root (paper §4.4, phases 3 and 4). A user who
   * opens the volume meanwhile ends that. For the master; blocks.
   *
   * @param holder the text that describes the caller to others
   * @throws SalusException.Busy when the volume has a writer
   * @throws SalusException when it could not be mounted
   */
  public void settle(String name, String holder) {
    RemoteVolume volume =
        open(name, OpenOptions.DEFAULT, WriterClaim.withoutUser(holder), LEASES.settling());
    volume.close();
  }

  private RemoteVolume open(String name, OpenOptions options, String service) {
    return open(
        name,
        options,
        new WriterClaim(holder(), service, false),
        LEASES.acceptingLoss(settings.acceptsLoss()));
  }

  private RemoteVolume open(
      String name, OpenOptions options, WriterClaim first, MountConfig times) {
    Duration timeout =
        options.requestTimeout().isZero() ? settings.requestTimeout() : options.requestTimeout();
    VolumeSpec spec = StoreFailures.typed(store, name, () -> store.volume(name)).spec();
    StoreFailures.typed(store, name, admin::serversThatFit);
    HandleNote note = options.note(spec, first.claimant());
    WriterClaim claim = first.by(note.user());
    VolumeFaults faults = new VolumeFaults(name);
    VolumeLoop loop =
        new GuardedLoop(
            VolumeLoop.of(loops.loop(Math.floorMod(nextLoop.getAndIncrement(), loops.count()))),
            faults);
    RequestQueue requests = new RequestQueue(spec, loop);
    MountHost host =
        new MountHost(
            spec,
            new MountTools(
                sessionConfig(spec, timeout),
                times,
                earlier.computeIfAbsent(spec.id(), id -> new EarlierReaders(MountRules.PAPER)),
                secret(),
                WriterStore.of(store, spec, claim),
                session -> new NodeTransport(spec, session, store, nodes, new Signer(secret())),
                loop,
                blocking,
                note),
            requests);
    long own = options.maxOutstandingBytes();
    Outstanding outstanding =
        new Outstanding(name, own > 0 ? new RequestMemory(own) : memory, timeout);
    RemoteVolume volume =
        new RemoteVolume(spec, loop, requests, host, outstanding, callbacks(options));
    faults.attach(volume);
    if (options.stopAtFailedWrite()) {
      volume.stopAtFailedWrite();
    }
    if (!options.force()) {
      volumes.freeOfEnded(name, ENDING_WAIT).join();
    }
    volumes.add(volume, claim.id());
    if (closed.get()) {
      throw StoreFailures.closed(); // close may have looked for open volumes before
    }
    MountHost.Taken taken =
        StoreFailures.typed(store, name, () -> volumes.acquire(volume, options.force()));
    try {
      loop.execute(() -> host.mount(taken));
    } catch (RejectedExecutionException closing) {
      throw StoreFailures.closed();
    }
    await(volume, host.opened(), timeout);
    return volume;
  }

  private Executor callbacks(OpenOptions options) {
    return options.callbackExecutor() == null ? callbacks : options.callbackExecutor();
  }

  private static void await(RemoteVolume volume, CompletableFuture<Void> opened, Duration timeout) {
    try {
      opened.get(timeout.plus(MOUNT_GRACE).toMillis(), TimeUnit.MILLISECONDS);
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
              + timeout.toSeconds()
              + " s: not every region serves");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      volume.abandon();
      throw new SalusException.Unavailable("interrupted while mounting volume " + volume.name(), e);
    }
  }

  private SessionConfig sessionConfig(VolumeSpec spec, Duration timeout) {
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
        timeout.toNanos(),
        pages,
        d.readBytesPerRegion(),
        settings.recentBytes());
  }

  private byte[] secret() {
    return cluster.secret().getBytes(StandardCharsets.UTF_8);
  }

  /** Names this user, machine and process, for clients that find the volume mounted. */
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

  /**
   * An id that only this machine has, since machines may share a name; empty where there is none.
   */
  private static String machine() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException none) {
      return "";
    }
  }

  /**
   * Ends the volumes that are still open, so that their outstanding requests fail; close them first
   * to avoid that. Gives their leases back, then closes the connections. Waits for this up to 30 s,
   * except when called on a volume's own thread. Every request has ended then. Idempotent.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    if (IntStream.range(0, loops.count()).anyMatch(i -> loops.loop(i).inLoop())) {
      DaemonThreads.start("salus-close", this::end); // what ends needs this thread
    } else {
      end();
    }
  }

  private void end() {
    List<RemoteVolume> open = volumes.all();
    CompletableFuture<?>[] over =
        open.stream().map(RemoteVolume::abandon).toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(over).completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS).join();
    nodes.close();
    blocking.shutdown();
    awaitBlocking();
    loops.close();
    open.forEach(RemoteVolume::failOutstanding);
    callbacks.shutdown();
    store.close();
    LOG.debug("client closed");
  }

  private void awaitBlocking() {
    try {
      if (!blocking.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "ZooKeeper does not answer; volumes that were open are free when its session ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
