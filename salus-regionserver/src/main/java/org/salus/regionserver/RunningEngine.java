package org.salus.regionserver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.salus.host.Resources;
import org.salus.host.Seals;
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
import org.salus.regionserver.hdfs.GuardProbe;
import org.salus.regionserver.hdfs.GuardWatch;
import org.salus.regionserver.hdfs.RegionStores;
import org.salus.regionserver.scrub.Beans;
import org.salus.regionserver.scrub.ScrubPace;
import org.salus.regionserver.scrub.Scrubber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All parts of an engine that has started. Thread-safe. */
final class RunningEngine implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RunningEngine.class);

  /** HBase's setting of the address at which its region server listens. */
  private static final String LISTEN_KEY = "hbase.regionserver.ipc.address";

  private static final Duration SESSION = Duration.ofSeconds(15);
  private static final Duration TICK = Duration.ofMillis(50);

  private final HostTools tools;
  private final HostedVolumes volumes;
  private final Resources parts;

  /** The watches of volumes that are being restored; used on the store's thread only. */
  private final Map<String, Watch> restoring = new HashMap<>();

  private RunningEngine(HostTools tools, HostedVolumes volumes, Resources parts) {
    this.tools = tools;
    this.volumes = volumes;
    this.parts = parts;
  }

  /**
   * Starts all parts, ZooKeeper and HDFS first, and then follows the cluster's volumes.
   *
   * @param unguarded runs, once or more, when this engine may not serve any longer because the
   *     NameNode has lost its guard
   * @throws IOException when ZooKeeper or HDFS cannot be reached now, or the NameNode has no guard;
   *     nothing is left open
   */
  static RunningEngine start(ServerContext context, MemberFactory members, Runnable unguarded)
      throws IOException {
    GuardProbe probe = new GuardProbe(context.configuration());
    try {
      RunningEngine engine = start(context, members, probe::isGuarded, unguarded);
      engine.parts.register(probe);
      return engine;
    } catch (IOException | RuntimeException failed) {
      probe.close();
      throw failed;
    }
  }

  /** Starts all parts, with this NameNode's word about its guard. */
  static RunningEngine start(
      ServerContext context,
      MemberFactory members,
      GuardWatch.NameNode nameNode,
      Runnable unguarded)
      throws IOException {
    Resources parts = new Resources();
    try {
      return start(context, members, nameNode, unguarded, parts);
    } catch (IOException | RuntimeException failed) {
      close(parts);
      throw failed;
    }
  }

  private static RunningEngine start(
      ServerContext context,
      MemberFactory members,
      GuardWatch.NameNode nameNode,
      Runnable unguarded,
      Resources parts)
      throws IOException {
    ServerSettings settings = ServerSettings.from(context.configuration());
    ThisServer self = self(context);
    String dataNode = DataNodeAddress.of(settings.dataNode(), context.host());
    ClusterStore store = parts.register(connect(context));
    RegionStores stores = parts.register(new RegionStores(context.configuration(), self.secret()));
    parts.register(GuardWatch.start(nameNode, unguarded));
    ServerThreads threads =
        parts.register(new ServerThreads(context.host(), settings.loops(), context.faults()));
    HostedVolumes volumes = new HostedVolumes();
    Strangers strangers = new Strangers(self);
    ServerDirectory servers =
        parts.register(
            ServerDirectory.watch(
                store,
                now -> {
                  strangers.look(now);
                  volumes.wake();
                }));
    Seals seals = new Seals(self.secret());
    Inbox inbox = new Inbox(parts.register(new DiskQuestions(stores, dataNode)), seals);
    Router router =
        parts.register(
            new Router(
                self.node(), threads.loops(), volumes::nodeOf, servers::address, inbox, seals));
    FrameServer server = parts.register(listen(context, settings.port(), threads, inbox));
    parts.register(
        store.registerServer(
            self.node(),
            ServerRecord.of(
                self.node(),
                context.host(),
                server.port(),
                dataNode,
                self.startCode(),
                self.secret()),
            self.secret()));
    Scrubber scrubber = scrubber(context, settings, store, stores, dataNode, volumes);
    parts.register(() -> Beans.unregister(self.node()));
    parts.register(scrubber);
    Beans.register(self.node(), scrubber);
    parts.register(new ServerMeter(context.metrics(), threads.loops(), inbox, scrubber));
    scrubber.start();
    HostTools tools =
        new HostTools(
            self,
            store,
            servers,
            new ServerDisk(stores, scrubber::noticed),
            router,
            threads,
            new ConfiguredMembers(members, settings.segmentsLiveMax(), self.secret()),
            context.metrics());
    RunningEngine engine = new RunningEngine(tools, parts.register(volumes), parts);
    parts.register(store.watchVolumes(engine::follow));
    engine.startTicks();
    LOG.info(
        "{} hosts region members on port {} with DataNode {}",
        self.node(),
        server.port(),
        dataNode);
    return engine;
  }

  /** Listens where HBase's region server does, which may be at all addresses. */
  private static FrameServer listen(
      ServerContext context, int port, ServerThreads threads, Inbox inbox) throws IOException {
    String address = context.configuration().getOrDefault(LISTEN_KEY, "");
    try {
      return FrameServer.start(
          threads.loops(),
          address.isEmpty() ? context.host() : address,
          port,
          inbox,
          FrameOptions.DEFAULT);
    } catch (IOException taken) {
      throw new IOException(
          taken.getMessage()
              + "; end what has the port, or give this server another one by "
              + ServerSettings.PORT.key(),
          taken);
    }
  }

  private static ThisServer self(ServerContext context) {
    String secret = ClusterSettings.from(context.configuration()).secret();
    return new ThisServer(
        context.node(), context.startCode(), secret.getBytes(StandardCharsets.UTF_8));
  }

  private static ClusterStore connect(ServerContext context) throws IOException {
    ClientSettings client =
        ClientSettings.from(Map.of("salus.zookeeper.quorum", context.zookeeper()));
    return ClusterStore.connect(client.zookeeperQuorum(), client.connectTimeout(), SESSION);
  }

  private static Scrubber scrubber(
      ServerContext context,
      ServerSettings settings,
      ClusterStore store,
      RegionStores stores,
      String dataNode,
      HostedVolumes volumes) {
    ScrubPace pace = new ScrubPace(settings.scrubRate());
    return new Scrubber(
        context.node(),
        settings,
        store.reports(),
        volumes,
        stores.scrub(context.node(), dataNode, pace),
        pace,
        context.faults());
  }

  private void startTicks() {
    Loops loops = tools.threads().loops();
    for (int i = 0; i < loops.count(); i++) {
      int loop = i;
      loops.loop(i).scheduleEvery(TICK, () -> volumes.tick(loop));
    }
    WaitNotes waits =
        new WaitNotes(
            volumes::waits,
            record -> tools.store().reports().waits(tools.self().node(), record),
            tools.threads().notes(),
            System::nanoTime);
    loops.loop(0).scheduleEvery(WaitNotes.PAUSE, waits::write);
  }

  /** Hosts exactly these volumes from now on, but for those that are still being restored. */
  private void follow(List<String> names) throws ClusterStoreException.Unreachable {
    volumes.retain(names);
    for (String name : names) {
      if (!volumes.has(name)) {
        try {
          VolumeRecord volume = tools.store().volume(name);
          if (volume.state() == VolumeRecord.State.RESTORING) {
            restoring.computeIfAbsent(
                name, n -> tools.store().watchVolume(n, now -> restored(n, now)));
          } else {
            volumes.add(new HostedVolume(volume.spec(), tools));
          }
        } catch (ClusterStoreException.Unreachable later) {
          throw later; // the watch reports the volumes again
        } catch (IOException gone) {
          LOG.warn("volume {} is not served: {}", name, gone.getMessage());
        }
      }
    }
  }

  private void restored(String name, Optional<VolumeRecord> now) throws ClusterStoreException {
    if (now.map(VolumeRecord::state).orElse(null) != VolumeRecord.State.RESTORING) {
      follow(tools.store().volumes());
      restoring.remove(name).close();
    }
  }

  /** Renews the leases of open segments, which HDFS would otherwise revoke. */
  void renewLeases() {
    volumes.renewLeases();
  }

  /** Stops all parts in reverse order. It waits at most some seconds for the last writes. */
  @Override
  public void close() {
    close(parts);
  }

  private static void close(Resources parts) {
    try {
      parts.close();
    } catch (IOException unclean) {
      LOG.warn("the engine does not stop cleanly", unclean);
    }
  }
}
