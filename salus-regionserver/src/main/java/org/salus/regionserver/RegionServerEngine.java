package org.salus.regionserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.salus.core.Endpoint;
import org.salus.core.member.RegionMember;
import org.salus.host.DaemonThreads;
import org.salus.host.config.ClientSettings;
import org.salus.host.config.ClusterSettings;
import org.salus.host.config.ServerSettings;
import org.salus.host.netty.FrameOptions;
import org.salus.host.netty.FrameServer;
import org.salus.host.netty.Loops;
import org.salus.host.zk.ClusterStore;
import org.salus.host.zk.ClusterStoreException;
import org.salus.host.zk.ServerDirectory;
import org.salus.host.zk.ServerRecord;
import org.salus.host.zk.VolumeRecord;
import org.salus.host.zk.Watch;
import org.salus.regionserver.hdfs.RegionStores;
import org.salus.regionserver.hdfs.ScrubFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hosts the region members that the RRS records in ZooKeeper give to this server. It announces its
 * data port, follows the records of all volumes, starts a member when a new epoch names it and
 * stops the one before. Where HBase has replicas open does not matter here: that is the master's to
 * look at.
 */
public final class RegionServerEngine implements RegionServerHost {
  private static final Logger LOG = LoggerFactory.getLogger(RegionServerEngine.class);
  private static final Duration SESSION = Duration.ofSeconds(15);
  private static final Duration TICK = Duration.ofMillis(50);
  private static final long RETRY_SECONDS = 2;
  private static final long RENEW_MINUTES = 10;

  /** Longer than a member waits for what it has written last to be acknowledged. */
  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(4);

  private static final long STOP_SECONDS = 8;
  private static final int READERS = 4;
  private static final int NOTERS = 4;

  private final ScheduledExecutorService events =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("salus-engine"));
  private final Map<String, HostedVolume> volumes = new ConcurrentHashMap<>();
  private final Map<Long, HostedVolume> byId = new ConcurrentHashMap<>();
  private final MemberFactory members;
  private ServerContext context;
  private HostTools tools;
  private ClusterStore store;
  private Loops loops;
  private FrameServer server;
  private ServerDirectory servers;
  private Watch registration;
  private Watch watch;
  private ExecutorService reads;
  private ExecutorService notes;
  private ExecutorService flushes;

  /** By level, so that long ones do not hold up short ones. */
  private final Map<Integer, ExecutorService> compactions = new ConcurrentHashMap<>();

  private RegionStores stores;
  private volatile Scrubber scrubber;
  private final Scrubber.Files scrubFiles =
      new Scrubber.Files() {
        @Override
        public boolean now(
            List<ScrubFile> to, Collection<String> doubtful, Predicate<String> pending) {
          boolean all = true;
          for (HostedVolume v : volumes.values()) {
            all &= v.addFiles(to, doubtful, pending);
          }
          return all;
        }

        @Override
        public void replaced(ScrubFile f) {
          volumes.values().forEach(v -> v.replaced(f));
        }
      };
  private DiskQuestions questions;
  private Map<String, String> strangers = Map.of();

  /** Made by a region server that has it configured. */
  public RegionServerEngine() {
    this(RegionMember::new);
  }

  /** An engine whose members are made elsewhere. */
  public RegionServerEngine(MemberFactory members) {
    this.members = members;
  }

  @Override
  public void start(ServerContext with) {
    context = with;
    events.execute(this::begin);
  }

  private Executor compactions(int level) {
    return compactions.computeIfAbsent(
        level,
        l ->
            Executors.newSingleThreadExecutor(
                DaemonThreads.named("salus-compact-" + l + "-" + context.host())));
  }

  private void begin() {
    try {
      ClientSettings client =
          ClientSettings.from(Map.of("salus.zookeeper.quorum", context.zookeeper()));
      ServerSettings settings = ServerSettings.from(context.configuration());
      byte[] secret =
          ClusterSettings.from(context.configuration()).secret().getBytes(StandardCharsets.UTF_8);
      store = ClusterStore.connect(client.zookeeperQuorum(), client.connectTimeout(), SESSION);
      stores = new RegionStores(context.configuration());
      loops = new Loops("salus-" + context.host(), settings.loops(), context.faults());
      reads =
          Executors.newFixedThreadPool(
              READERS, DaemonThreads.named("salus-read-" + context.host()));
      notes =
          Executors.newFixedThreadPool(NOTERS, DaemonThreads.named("salus-note-" + context.host()));
      flushes =
          Executors.newSingleThreadExecutor(DaemonThreads.named("salus-flush-" + context.host()));
      servers =
          new ServerDirectory(
              store,
              now -> {
                tellStrangers(ServerRecord.strangers(now, secret));
                volumes.values().forEach(HostedVolume::wake);
              });
      String dataNode =
          settings.dataNode().isEmpty() ? context.host() + ":9866" : settings.dataNode();
      Router[] made = new Router[1];
      questions =
          new DiskQuestions(
              stores, dataNode, secret, (from, to, answer) -> made[0].send(from, to, answer, null));
      Router router = new Router(context.node(), loops, this::nodeOf, servers::address, questions);
      made[0] = router;
      server = FrameServer.start(loops, context.host(), 0, router, FrameOptions.DEFAULT);
      tools =
          new HostTools(
              context.node(),
              context.startCode(),
              store,
              servers,
              stores,
              router,
              loops,
              new MemberHost.Pools(reads, flushes, this::compactions),
              notes,
              members,
              settings.segmentsLiveMax(),
              secret,
              this::damaged);
      registration =
          store.registerServer(
              context.node(),
              ServerRecord.of(
                  context.node(),
                  context.host(),
                  server.port(),
                  dataNode,
                  context.startCode(),
                  secret));
      scrubber =
          new Scrubber(
              context.node(),
              settings,
              store.reports(),
              scrubFiles,
              pace -> stores.scrub(context.node(), dataNode, secret, pace),
              context.faults());
      Beans.register(context.node(), scrubber);
      scrubber.start();
      watch = store.watchVolumes(this::follow);
      for (int i = 0; i < loops.count(); i++) {
        int loop = i;
        loops.loop(i).scheduleEvery(TICK, () -> volumes.values().forEach(v -> v.tick(loop)));
      }
      events.scheduleWithFixedDelay(
          this::renewLeases, RENEW_MINUTES, RENEW_MINUTES, TimeUnit.MINUTES);
      LOG.info(
          "{} hosts region members on port {} with DataNode {}",
          context.node(),
          server.port(),
          dataNode);
    } catch (IOException failed) {
      LOG.warn("the engine of {} does not start yet: {}", context.node(), failed.getMessage());
      release();
      events.schedule(this::begin, RETRY_SECONDS, TimeUnit.SECONDS);
    } catch (RuntimeException bug) {
      context.faults().onFault("starting the engine of " + context.node(), bug);
    }
  }

  private void damaged(String path) {
    Scrubber s = scrubber;
    if (s != null) {
      s.noticed(path);
    }
  }

  /** On the store's thread. */
  private void tellStrangers(Map<String, String> now) {
    if (!now.equals(strangers)) {
      strangers = now;
      now.forEach(
          (node, why) ->
              LOG.error("{} and {} cannot work together: {} {}", context.node(), node, node, why));
    }
  }

  private String nodeOf(Endpoint.Member m) {
    HostedVolume v = byId.get(m.region().volume());
    return v == null ? null : v.directory().node(m.region().index(), m.lane());
  }

  /** The volumes are these now. */
  private synchronized void follow(List<String> names) throws ClusterStoreException.Unreachable {
    for (HostedVolume v : List.copyOf(volumes.values())) {
      if (!names.contains(v.spec().name())) {
        volumes.remove(v.spec().name());
        byId.remove(v.spec().id());
        v.close();
      }
    }
    for (String name : names) {
      if (!volumes.containsKey(name)) {
        try {
          VolumeRecord record = store.volume(name);
          HostedVolume v = new HostedVolume(record.spec(), tools);
          volumes.put(name, v);
          byId.put(record.spec().id(), v);
          v.start();
        } catch (ClusterStoreException.Unreachable later) {
          throw later; // the watch tells it again
        } catch (IOException gone) {
          LOG.warn("volume {} is not served: {}", name, gone.getMessage());
        }
      }
    }
  }

  /** HDFS would take the leases of open segments back after long silence. */
  private void renewLeases() {
    volumes.values().forEach(HostedVolume::renewLeases);
  }

  @Override
  public void replicaOpened(String volume, int region, int replica) {
    LOG.debug("replica {} of {}/{} opened on {}", replica, volume, region, context.node());
  }

  @Override
  public void replicaClosed(String volume, int region, int replica) {
    LOG.debug("replica {} of {}/{} closed on {}", replica, volume, region, context.node());
  }

  @Override
  public void stop() {
    Future<?> done =
        events.submit(
            () -> {
              if (watch != null) {
                watch.close();
              }
              List<HostedVolume> hosted = List.copyOf(volumes.values());
              follow(List.of());
              long end = System.nanoTime() + LAST_WRITES_NANOS;
              hosted.forEach(v -> v.awaitEnd(end));
              release();
              return null;
            });
    events.shutdown();
    try {
      done.get(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException unclean) {
      LOG.warn("the engine of {} did not stop in time", context.node(), unclean);
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes what {@link #begin} had made, in the other order. */
  private void release() {
    if (scrubber != null) {
      scrubber.close();
      Beans.unregister(context.node());
    }
    if (registration != null) {
      registration.close();
    }
    if (server != null) {
      server.close();
    }
    if (tools != null) {
      tools.router().close();
    }
    if (questions != null) {
      questions.close();
    }
    if (servers != null) {
      servers.close();
    }
    if (loops != null) {
      loops.close();
    }
    if (reads != null) {
      reads.shutdown();
      notes.shutdown();
      flushes.shutdownNow();
      compactions.values().forEach(ExecutorService::shutdownNow);
      compactions.clear();
    }
    if (stores != null) {
      stores.close();
    }
    if (store != null) {
      store.close();
    }
  }
}
