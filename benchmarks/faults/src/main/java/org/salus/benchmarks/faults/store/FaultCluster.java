package org.salus.benchmarks.faults.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.salus.benchmarks.faults.hdfs.ReplicaFinder;
import org.salus.benchmarks.faulty.ClusterWait;
import org.salus.benchmarks.faulty.FaultSwitches;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;
import org.salus.host.zk.ClusterStore;

/**
 * A cluster of processes whose daemons can be killed and stopped, and whose region servers can be
 * told to do wrong. Methods about one store may be called by many threads at once, the others by
 * one.
 */
public final class FaultCluster implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration ZOOKEEPER_SESSION = Duration.ofSeconds(10);

  private final Path dir;
  private final LocalCluster cluster;
  private final int servers;
  private final FaultSwitches switches;
  private final Map<String, String> settings;
  private final Set<String> stopped = new HashSet<>();
  private ReplicaFinder replicas;
  private ClusterStore store;

  private FaultCluster(Path dir, LocalCluster cluster, int servers, FaultSwitches switches) {
    this.dir = dir;
    this.cluster = cluster;
    this.servers = servers;
    this.switches = switches;
    this.settings = new HashMap<>(switches.settings());
    settings.put("salus.segments.live.max", "4");
    settings.put("zookeeper.session.timeout", Long.toString(ZOOKEEPER_SESSION.toMillis()));
  }

  /**
   * Starts one.
   *
   * @param faulty directory or jar with the classes of the faulty servers
   * @param progress is told in a few words what is being done
   */
  public static FaultCluster start(Path dir, int servers, Path faulty, Consumer<String> progress)
      throws IOException {
    FaultSwitches switches = FaultSwitches.in(dir.resolve("faults"));
    FaultCluster made =
        new FaultCluster(
            dir.toAbsolutePath(), new LocalCluster(dir, List.of(faulty)), servers, switches);
    try {
      made.cluster.start(servers, made.settings, progress);
      made.replicas = new ReplicaFinder(made.conf(), made.dir.resolve("hdfs"));
      made.store = ClusterStore.connect(made.zookeeper(), PATIENCE, ZOOKEEPER_SESSION);
      made.awaitWhole();
      return made;
    } catch (IOException failed) {
      made.close();
      throw failed;
    }
  }

  public String zookeeper() throws IOException {
    return cluster.zookeeper();
  }

  /** A region server's configuration. */
  public Path conf() {
    return dir.resolve("conf").resolve("regionserver0.xml");
  }

  /** The switches of faults in its region servers. */
  public FaultSwitches switches() {
    return switches;
  }

  public ReplicaFinder replicas() {
    return replicas;
  }

  public ClusterStore store() {
    return store;
  }

  public int servers() {
    return servers;
  }

  /** The number of the server that is known by this name; its DataNode has the same. */
  public static int number(String node) {
    return Integer.parseInt(node.substring(node.lastIndexOf('.') + 1, node.indexOf(':'))) - 11;
  }

  /** kill -9. */
  public void kill(Daemon role, int i) throws IOException {
    cluster.daemon(role, i).kill();
  }

  /** SIGSTOP: it stands still until {@link #resume}. */
  public void stop(Daemon role, int i) throws IOException {
    signal("-STOP", cluster.daemon(role, i));
    stopped.add(cluster.daemon(role, i).name());
  }

  /** SIGCONT to all that stand still. */
  public void resume() throws IOException {
    for (DaemonProcess d : cluster.daemons()) {
      if (stopped.remove(d.name())) {
        signal("-CONT", d);
      }
    }
  }

  private static void signal(String which, DaemonProcess daemon) throws IOException {
    if (daemon.process().isEmpty()) {
      return;
    }
    Process kill =
        new ProcessBuilder("kill", which, Long.toString(daemon.process().get().pid())).start();
    try {
      kill.waitFor();
    } catch (InterruptedException cut) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", cut);
    }
  }

  /** Starts the daemons that do not run. */
  public void restart() throws IOException {
    cluster.start(servers, settings, step -> {});
  }

  /** Starts and resumes every daemon, and returns when all of them serve. */
  public void heal() throws IOException {
    for (DaemonProcess d : cluster.daemons()) {
      // A daemon that stood still for long has lost its sessions, and would end when it goes on.
      if (stopped.remove(d.name())) {
        d.kill();
      }
    }
    restart();
    if (!isWhole()) {
      cluster.stop(step -> {});
      cluster.start(servers, settings, step -> {});
      awaitWhole();
    }
  }

  private void awaitWhole() throws IOException {
    if (!isWhole()) {
      throw new IOException(
          "not all of the " + servers + " servers came up; see " + dir.resolve("logs"));
    }
  }

  private boolean isWhole() {
    return ClusterWait.until(
        PATIENCE, () -> store.servers().size() == servers && replicas.livingDataNodes() == servers);
  }

  @Override
  public void close() throws IOException {
    resume();
    if (store != null) {
      store.close();
    }
    if (replicas != null) {
      replicas.close();
    }
    cluster.stop(step -> {});
  }
}
