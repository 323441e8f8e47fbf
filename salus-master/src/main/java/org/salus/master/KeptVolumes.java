package org.salus.master;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.salus.core.Reason;
import org.salus.host.DaemonThreads;
import org.salus.host.Resources;
import org.salus.host.VolumeTables;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.WriterRecord;
import org.salus.master.hdfs.EpochReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All volumes in the care of an active master, once it has ZooKeeper. Rounds are for one thread.
 */
final class KeptVolumes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KeptVolumes.class);
  private static final Duration SESSION = Duration.ofSeconds(15);

  /** The time after its start in which the master waits for servers that it has not seen yet. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private static final long SURVEY_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The time between two looks for volumes that were left unsettled. */
  private static final long SETTLING_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final MasterContext context;
  private final ClusterStore store;
  private final KeptVolume.Tools tools;
  private final Drained drained;
  private final Runnable wake;
  private final long began;
  private final ServerProbe probe;
  private final HdfsView hdfs;
  private final MasterMeter meter;
  private final Settling settling;
  private final Resources parts;
  private final Map<String, KeptVolume> volumes = new ConcurrentHashMap<>();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private Map<String, Reason> strangersTold = Map.of();

  /** Whether clients may see what a master before has told. */
  private boolean isNoteUnknown = true;

  private Optional<Reason> troubleTold = Optional.empty();
  private long troubleToldAt = System.nanoTime();

  /** Whether clients may see a word about tables. */
  private boolean areTablesTold = true;

  private long surveyed = System.nanoTime() - SURVEY_NANOS;
  private long lookedForLeft = System.nanoTime();

  /** The volumes that have records; null before the first reading. */
  private volatile Set<String> recorded;

  private KeptVolumes(
      KeptVolume.Tools tools, Drained drained, Runnable wake, long began, Resources parts) {
    this.context = tools.context();
    this.store = tools.store();
    this.hdfs = tools.hdfs();
    this.tools = tools;
    this.drained = drained;
    this.wake = wake;
    this.began = began;
    this.parts = parts;
    this.meter = parts.register(new MasterMeter(context.metrics(), hdfs::room));
    this.probe = parts.register(new ServerProbe(wake));
    Settling.Mount mount =
        parts.register(
            Settling.byClient(context.zookeeper(), tools.settings().secret(), context.node()));
    ExecutorService settler =
        Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-settling"));
    parts.register(settler::shutdownNow);
    this.settling =
        parts.register(new Settling(this::leftBehind, mount, settler, System::nanoTime));
  }

  /**
   * Connects to ZooKeeper and follows it from then on.
   *
   * @param tables runs the requests that wait for HBase
   * @param wake has {@link #round} called soon; any thread may run it
   * @param began when the master started, in nanoseconds
   * @throws IOException when ZooKeeper cannot be reached now; nothing is left open
   */
  static KeptVolumes start(MasterContext context, Executor tables, Runnable wake, long began)
      throws IOException {
    Resources parts = new Resources();
    try {
      ClientSettings client =
          ClientSettings.from(Map.of("salus.zookeeper.quorum", context.zookeeper()));
      ClusterStore store =
          parts.register(
              ClusterStore.connect(client.zookeeperQuorum(), client.connectTimeout(), SESSION));
      EpochReader reader = parts.register(new EpochReader(context.configuration()));
      ExecutorService reads =
          Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-epochs"));
      parts.register(reads::shutdownNow);
      Drained drained = new Drained(store.drained());
      KeptVolume.Tools tools =
          new KeptVolume.Tools(
              context,
              store,
              ClusterSettings.from(context.configuration()),
              new KeptEpochs(reader::read, reads, wake),
              parts.register(new HdfsView(context, wake)),
              drained,
              tables);
      KeptVolumes all = new KeptVolumes(tools, drained, wake, began, parts);
      parts.register(() -> all.volumes.values().forEach(KeptVolume::close));
      parts.register(store.watchServers(now -> wake.run()));
      parts.register(store.reports().watchAccusations(now -> wake.run()));
      parts.register(store.watchVolumes(now -> wake.run()));
      parts.register(store.drained().watch(now -> wake.run()));
      return all;
    } catch (IOException | RuntimeException failed) {
      close(parts);
      throw failed;
    }
  }

  /** Whether there is a volume of this name, as far as is known. */
  boolean mayHave(String volume) {
    Set<String> known = recorded;
    return known == null || known.contains(volume);
  }

  /** Whether an operator drains a server, as the last round has read it. */
  boolean isDrained(String server) {
    return drained.contains(server);
  }

  private boolean isPatienceOver(String node, boolean restarted) {
    return !restarted && seen.contains(node) || System.nanoTime() - began > PATIENCE_NANOS;
  }

  /**
   * Does the next steps of all volumes.
   *
   * @throws IOException when ZooKeeper does not answer, or no server fits; the next round tries
   *     again
   */
  void round() throws IOException {
    hdfs.refresh();
    Map<String, ServerRecord> registered = store.servers();
    drained.look(registered); // before any step: no member may be put on a server that is drained
    List<String> names = store.volumes();
    recorded = Set.copyOf(names);
    List<ClusterReports.Heard> heard = store.reports().accusations();
    Map<String, Reason> strangers =
        ServerRecord.strangers(
            registered, tools.settings().secret().getBytes(StandardCharsets.UTF_8));
    Map<String, ServerRecord> fitting = fitting(registered, strangers);
    seen.addAll(fitting.keySet());
    meter.sees(names.size(), fitting.size(), strangers.size());
    probe.follow(fitting);
    boolean fitsNone = !strangers.isEmpty() && strangers.size() == registered.size();
    Optional<Reason> misfit =
        fitsNone ? Optional.of(Reason.noServerFits("this master", strangers)) : Optional.empty();
    meter.trouble(misfit.or(hdfs::reason));
    tellTrouble(misfit.or(hdfs::reason));
    if (misfit.isPresent()) {
      meter.answering(0);
      throw new IOException(misfit.get().words());
    }
    Map<String, ServerRecord> running = probe.answering(fitting);
    meter.answering(running.size());
    Set<ClusterReports.Heard> dealtWith = new HashSet<>(heard);
    for (String name : names) {
      List<ClusterReports.Heard> its = heard.stream().filter(h -> h.volume().equals(name)).toList();
      dealtWith.removeAll(its);
      keep(name, its, dealtWith, running);
    }
    for (ClusterReports.Heard h : dealtWith) {
      store.reports().dealtWith(h);
    }
    tellTables(names);
    settle(names);
    for (String gone : List.copyOf(volumes.keySet())) {
      if (!names.contains(gone)) {
        volumes.remove(gone).close();
      }
    }
    meter.done();
  }

  /** Has volumes settled that their writers have left without closing them. */
  private void settle(List<String> names) {
    if (System.nanoTime() - lookedForLeft >= SETTLING_NANOS) {
      lookedForLeft = System.nanoTime();
      settling.look(names);
    }
  }

  /** The last mount, if the volume is in use and was left; else empty. */
  private Optional<WriterRecord> leftBehind(String name) throws ClusterStoreException {
    try {
      VolumeRecord volume = store.volume(name);
      return volume.state() == VolumeRecord.State.ACTIVE
          ? store.leftBehind(volume.spec())
          : Optional.empty();
    } catch (ClusterStoreException.Missing | ClusterStoreException.Format other) {
      return Optional.empty();
    }
  }

  /**
   * Tells clients what keeps volumes from what they should do. They see it as long as a master says
   * so.
   */
  private void tellTrouble(Optional<Reason> trouble) throws IOException {
    boolean isNew = isNoteUnknown || !trouble.equals(troubleTold);
    // Told again now and then, because the note may be one that a master before has made.
    boolean isOld = trouble.isPresent() && System.nanoTime() - troubleToldAt > SURVEY_NANOS;
    boolean isKnown = hdfs.isKnown() || trouble.isPresent();
    if (isKnown && (isNew || isOld)) {
      store.reports().trouble(trouble.orElse(null));
      isNoteUnknown = false;
      troubleTold = trouble;
      troubleToldAt = System.nanoTime();
    }
  }

  /** Tells clients which tables of HBase are in the way of volumes, or not as volumes need them. */
  private void tellTables(List<String> names) throws IOException {
    List<KeptVolume> made = volumes.values().stream().filter(KeptVolume::hasTable).toList();
    Optional<Map<String, Integer>> found =
        System.nanoTime() - surveyed < SURVEY_NANOS ? Optional.empty() : context.replicas();
    if (found.isEmpty()) {
      return;
    }
    surveyed = System.nanoTime();
    Map<String, Reason> troubles = new TreeMap<>();
    for (String name : names) {
      KeptVolume kept = volumes.get(name);
      if (kept != null) {
        tableTrouble(
                kept,
                made.contains(kept)
                    ? OptionalInt.of(found.get().getOrDefault(name, 0))
                    : OptionalInt.empty())
            .ifPresent(trouble -> troubles.put(name, trouble));
      }
    }
    for (String table : found.get().keySet()) {
      if (!names.contains(table)) {
        troubles.put(table, Reason.tableInTheWay(VolumeTables.NAMESPACE + ":" + table));
      }
    }
    if (!troubles.isEmpty() || areTablesTold) {
      store.reports().tables(troubles);
      areTablesTold = !troubles.isEmpty();
    }
  }

  private static Optional<Reason> tableTrouble(KeptVolume kept, OptionalInt found)
      throws IOException {
    try {
      return kept.tableTrouble(found);
    } catch (ClusterStoreException.Missing deletedMeanwhile) {
      return Optional.empty();
    }
  }

  /**
   * Does one volume's next steps.
   *
   * @param accusations the accusations about this volume
   * @param dealtWith takes the accusations that were heard
   */
  private void keep(
      String name,
      List<ClusterReports.Heard> accusations,
      Set<ClusterReports.Heard> dealtWith,
      Map<String, ServerRecord> running) {
    KeptVolume v =
        volumes.computeIfAbsent(name, n -> new KeptVolume(n, tools, this::isPatienceOver, wake));
    try {
      for (ClusterReports.Heard h : accusations) {
        v.hear(h);
        dealtWith.add(h);
      }
      v.keep(running);
    } catch (ClusterStoreException.Conflict raced) {
      wake.run();
    } catch (IOException failed) {
      LOG.warn("volume {}: {}", name, failed.getMessage());
    } catch (RuntimeException bug) { // another master would find the same records
      LOG.error("BUG while keeping volume {}; the other volumes go on", name, bug);
    }
  }

  /** Returns the servers with which this master can work. Logs the others when they change. */
  private Map<String, ServerRecord> fitting(
      Map<String, ServerRecord> registered, Map<String, Reason> strangers) {
    if (!strangers.equals(strangersTold)) {
      strangersTold = strangers;
      strangers.forEach((node, why) -> LOG.error("{} takes no part: it {}", node, why.words()));
    }
    Map<String, ServerRecord> fitting = new HashMap<>(registered);
    fitting.keySet().removeAll(strangers.keySet());
    return fitting;
  }

  @Override
  public void close() {
    close(parts);
  }

  private static void close(Resources parts) {
    try {
      parts.close();
    } catch (IOException unclean) {
      LOG.warn("the keeper of volumes does not stop cleanly", unclean);
    }
  }
}
