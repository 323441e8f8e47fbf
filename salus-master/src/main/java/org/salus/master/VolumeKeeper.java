package org.salus.master;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.salus.host.DaemonThreads;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.zk.ClusterReports;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.Watch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after all volumes while its master is active: brings what ZooKeeper says and what HBase and
 * the servers do into accord, again after every change and once a second. Every step may be done
 * twice, and by two masters at once.
 */
public final class VolumeKeeper implements MasterHost {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeKeeper.class);
  private static final Duration SESSION = Duration.ofSeconds(15);
  private static final long PERIOD_MILLIS = 1_000;

  /**
   * So long after its start the master waits for servers that it has not seen yet before it goes on
   * without them.
   */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ScheduledExecutorService worker =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-master"));

  /** HBase answers late while it has no meta region: regions do not wait for it. */
  private final ExecutorService tables =
      Executors.newSingleThreadExecutor(DaemonThreads.named("salus-master-tables"));

  private final AtomicBoolean due = new AtomicBoolean();
  private final Map<String, KeptVolume> volumes = new ConcurrentHashMap<>();
  private final long began = System.nanoTime();
  private final ServerProbe probe = new ServerProbe(this::wake);
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private MasterContext context;
  private ClusterStore store;
  private ClusterSettings settings;
  private byte[] secret;
  private Map<String, String> told = Map.of();
  private Watch servers;
  private Watch accusations;
  private Watch watch;

  @Override
  public void start(MasterContext with) {
    context = with;
    worker.execute(this::begin);
    worker.scheduleWithFixedDelay(
        this::guardedRound, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void begin() {
    try {
      ClientSettings client =
          ClientSettings.from(Map.of("salus.zookeeper.quorum", context.zookeeper()));
      settings = ClusterSettings.from(context.configuration());
      secret = settings.secret().getBytes(StandardCharsets.UTF_8);
      store = ClusterStore.connect(client.zookeeperQuorum(), client.connectTimeout(), SESSION);
      servers = store.watchServers(now -> wake());
      accusations = store.reports().watchAccusations(now -> wake());
      watch = store.watchVolumes(now -> wake());
    } catch (IOException failed) {
      LOG.warn("cannot look after volumes yet: {}", failed.getMessage());
      worker.schedule(this::begin, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private boolean isPatienceOver(String node, boolean restarted) {
    return !restarted && seen.contains(node) || System.nanoTime() - began > PATIENCE_NANOS;
  }

  /** Asks for a round soon; many wishes make one round. */
  void wake() {
    if (due.compareAndSet(false, true)) {
      try {
        worker.execute(this::guardedRound);
      } catch (RejectedExecutionException stopped) {
        LOG.debug("the master has stopped");
      }
    }
  }

  private void guardedRound() {
    due.set(false);
    if (watch == null) {
      return;
    }
    try {
      round();
    } catch (IOException failed) {
      LOG.warn("will look after volumes again: {}", failed.getMessage());
    } catch (RuntimeException bug) {
      context.faults().onFault("looking after volumes", bug);
    }
  }

  private void round() throws IOException {
    List<String> names = store.volumes();
    List<ClusterReports.Heard> heard = store.reports().accusations();
    Map<String, ServerRecord> registered = store.servers();
    seen.addAll(registered.keySet());
    probe.follow(registered);
    Map<String, ServerRecord> running = probe.answering(fitting(registered));
    Set<ClusterReports.Heard> dealtWith = new HashSet<>(heard);
    for (String name : names) {
      KeptVolume v =
          volumes.computeIfAbsent(
              name,
              n ->
                  new KeptVolume(
                      n, context, store, settings, this::isPatienceOver, tables, this::wake));
      List<ClusterReports.Heard> its = heard.stream().filter(h -> h.volume().equals(name)).toList();
      dealtWith.removeAll(its);
      try {
        for (ClusterReports.Heard h : its) {
          v.hear(h);
          dealtWith.add(h);
        }
        v.keep(running);
      } catch (ClusterStoreException.Conflict raced) {
        wake();
      } catch (IOException failed) {
        LOG.warn("volume {}: {}", name, failed.getMessage());
      }
    }
    for (ClusterReports.Heard h : dealtWith) {
      store.reports().dealtWith(h);
    }
    for (String gone : List.copyOf(volumes.keySet())) {
      if (!names.contains(gone)) {
        volumes.remove(gone).close();
      }
    }
  }

  /** Those of the servers with which this master can work; an error when that is none. */
  private Map<String, ServerRecord> fitting(Map<String, ServerRecord> registered)
      throws IOException {
    Map<String, String> strangers = ServerRecord.strangers(registered, secret);
    if (!strangers.isEmpty() && strangers.size() == registered.size()) {
      throw new IOException("this master can work with none of the servers: " + strangers);
    }
    if (!strangers.equals(told)) {
      told = strangers;
      strangers.forEach((node, why) -> LOG.error("{} takes no part: it {}", node, why));
    }
    Map<String, ServerRecord> fitting = new HashMap<>(registered);
    fitting.keySet().removeAll(strangers.keySet());
    return fitting;
  }

  @Override
  public void stop() {
    worker.shutdown();
    tables.shutdownNow();
    probe.close();
    if (watch != null) {
      watch.close();
      servers.close();
      accusations.close();
      volumes.values().forEach(KeptVolume::close);
      store.close();
    }
  }
}
