package org.salus.dist.hbase;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.salus.datanode.hdfs.HdfsReadiness;
import org.salus.datanode.hdfs.HdfsSettings;
import org.salus.dist.data.DataDirectory;
import org.salus.host.config.PartSettings;

/**
 * ZooKeeper, a NameNode, DataNodes, an HBase master and region servers on this machine. Each has
 * its own process, address and ports, and with a {@link Placement} its own network. Everything
 * about them is below one directory. Not thread-safe.
 */
public final class LocalCluster {
  /**
   * The system property with the class path of daemons; {@code DIR/*} stands for the jars of DIR.
   * Without it, or if it names no jar, they have this process's. A source tree's commands have more
   * on theirs.
   */
  private static final String CLASS_PATH_KEY = "salus.daemon.class.path";

  /** The system property with more options for the JVMs of daemons, separated by spaces. */
  private static final String OPTIONS_KEY = "salus.daemon.options";

  private static final String MASTER_INFO = "hbase.master.info";
  private static final String SERVER_INFO = "hbase.regionserver.info";
  private static final String PORT = ".port";
  private static final String BIND = ".bindAddress";
  private static final String CONF = "conf";
  private static final String NBD = "nbd";
  private static final List<String> NBD_JVM = List.of("-Xmx1g");

  /**
   * An option for servers that no block passes: they do too little to be worth the time of an
   * optimizing compiler.
   */
  private static final String COMPILE_QUICKLY = "-XX:TieredStopAtLevel=1";

  private static final String SMALL_REGION_SERVER = "512m";

  private final Path dir;
  private final String classPath;
  private final String regionServerHeap;
  private final Placement placement;

  /** Whether HBase's daemons have info servers, with the page of volumes. */
  private final boolean hasPages;

  /** The class path of daemons. */
  public static String daemonClassPath() {
    String own = System.getProperty("java.class.path");
    List<String> entries = new ArrayList<>();
    for (String entry : System.getProperty(CLASS_PATH_KEY, own).split(File.pathSeparator)) {
      if (entry.endsWith("/*")) {
        entries.addAll(jars(Path.of(entry.substring(0, entry.length() - 2))));
      } else {
        entries.add(entry);
      }
    }
    return entries.isEmpty() ? own : String.join(File.pathSeparator, entries);
  }

  /** The jars of a directory, in the order of their names; none when it is missing. */
  private static List<String> jars(Path dir) {
    String[] names = dir.toFile().list((in, name) -> name.endsWith(".jar"));
    return names == null
        ? List.of()
        : Arrays.stream(names).sorted().map(n -> dir.resolve(n).toString()).toList();
  }

  /** The cluster of a directory, which need not exist yet. */
  public LocalCluster(Path dir) {
    this(dir, List.of());
  }

  /** Same as {@link #LocalCluster(Path)}, with more directories on the servers' class path. */
  public LocalCluster(Path dir, List<Path> classes) {
    this(dir, classes, SMALL_REGION_SERVER, Placement.HERE, false);
  }

  /**
   * Same as {@link #LocalCluster(Path)}, with larger region servers and another placement.
   *
   * @param regionServerHeap the heap of a region server's JVM, as {@code -Xmx} takes it
   * @param placement where the daemons run; this process must reach all of them
   */
  public LocalCluster(Path dir, String regionServerHeap, Placement placement) {
    this(dir, List.of(), regionServerHeap, placement, false);
  }

  private LocalCluster(
      Path dir,
      List<Path> classes,
      String regionServerHeap,
      Placement placement,
      boolean hasPages) {
    this.dir = dir.toAbsolutePath().normalize();
    List<String> all = new ArrayList<>(List.of(daemonClassPath()));
    classes.forEach(c -> all.add(c.toString()));
    this.classPath = String.join(File.pathSeparator, all);
    this.regionServerHeap = regionServerHeap;
    this.placement = placement;
    this.hasPages = hasPages;
  }

  /** The cluster of a directory. HBase's daemons have info servers, with the page of volumes. */
  public static LocalCluster withPages(Path dir) {
    return new LocalCluster(dir, List.of(), SMALL_REGION_SERVER, Placement.HERE, true);
  }

  /**
   * Starts the daemons that do not run, or are about to end. Starts a daemon again that ends
   * meanwhile. A master that stood still, for example, notices late that its ZooKeeper session is
   * over.
   *
   * @param servers number of region servers and of DataNodes; used only when no daemon runs
   * @param settings settings for every daemon; used only when no daemon runs
   * @param progress takes a few words about each step
   */
  public void start(int servers, Map<String, String> settings, Consumer<String> progress)
      throws IOException {
    try (DataDirectory data = DataDirectory.open(dir)) {
      ClassArchive.prepare(classPath, progress);
      if (running().isEmpty()) {
        configure(data, servers, settings);
      }
      int count = servers();
      List<DaemonProcess> started = new ArrayList<>();
      group(progress, "starting ZooKeeper", List.of(daemon(Daemon.ZOOKEEPER, -1)), started);
      int nameNodes =
          group(progress, "starting the NameNode", List.of(daemon(Daemon.NAMENODE, -1)), started);
      int dataNodes =
          group(
              progress,
              "starting " + count + " DataNodes",
              IntStream.range(0, count).mapToObj(i -> daemon(Daemon.DATANODE, i)).toList(),
              started);
      if (nameNodes + dataNodes > 0) {
        progress.accept("waiting for HDFS");
        awaitHdfs(dataNodes, started);
      }
      DaemonProcess master = daemon(Daemon.MASTER, -1);
      if (master.process().isEmpty()) {
        StartQuotas.check(DaemonServer.read(conf(master.name())), progress);
      }
      group(progress, "starting the HBase master", List.of(master), started);
      group(
          progress,
          "starting " + count + " region servers",
          IntStream.range(0, count).mapToObj(i -> daemon(Daemon.REGIONSERVER, i)).toList(),
          started);
      for (DaemonProcess d : started) {
        d.startAgain();
      }
    }
  }

  private void awaitHdfs(int dataNodes, List<DaemonProcess> started) throws IOException {
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(DataDirectory.settings(dir).toUri()));
    conf.setBoolean(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, false); // this asks again
    long end = System.nanoTime() + DaemonProcess.START_NANOS;
    try (DFSClient client = new DFSClient(FileSystem.getDefaultUri(conf), conf)) {
      IOException failed = null;
      for (; ; ) {
        try {
          if (HdfsReadiness.takesBlocks(client.getNamenode(), dataNodes)) {
            return;
          }
        } catch (IOException lost) { // such as a connection from before the NameNode's restart
          failed = lost;
        }
        if (System.nanoTime() > end) {
          throw new IOException(
              "HDFS takes no blocks after "
                  + TimeUnit.NANOSECONDS.toSeconds(DaemonProcess.START_NANOS)
                  + " s; if blocks are lost for good, go on without them by hdfs dfsadmin -safemode leave"
                  + daemon(Daemon.NAMENODE, -1).logged(started),
              failed);
        }
        LockSupport.parkNanos(DaemonProcess.POLL_NANOS);
      }
    }
  }

  /** Starts the daemons that do not run. Returns their number. */
  private static int group(
      Consumer<String> progress,
      String what,
      List<DaemonProcess> daemons,
      List<DaemonProcess> started)
      throws IOException {
    List<DaemonProcess> down = new ArrayList<>();
    for (DaemonProcess d : daemons) {
      if (d.isEnding()) {
        progress.accept("waiting for " + d.name() + " to end");
        d.awaitEnd();
      }
      if (d.process().isEmpty()) {
        down.add(d);
      }
    }
    if (!down.isEmpty()) {
      progress.accept(what);
    }
    for (DaemonProcess d : down) {
      d.start();
    }
    for (DaemonProcess d : down) {
      d.awaitReady(started);
    }
    started.addAll(daemons);
    return down.size();
  }

  private void configure(DataDirectory data, int servers, Map<String, String> settings)
      throws IOException {
    data.servers(servers);
    int zookeeper = data.zookeeperPort();
    HdfsSettings hdfs =
        HdfsSettings.of(
            dir.resolve("hdfs"),
            placement.addresses(),
            servers,
            LocalSettings.hdfsDaemons(placement.addresses(), zookeeper, settings));
    Configuration cluster = LocalSettings.cluster(data, zookeeper, hdfs, servers, settings);
    cluster.set(DaemonServer.ZOOKEEPER_DIR, dir.resolve("zookeeper").toString());
    cluster.set(PartSettings.ZOOKEEPER_ADDRESS.key(), placement.addresses().main());
    cluster.setInt("hbase.master.wait.on.regionservers.mintostart", 1);
    Files.createDirectories(dir.resolve(CONF));
    String main = placement.addresses().main();
    infoServer(cluster, MASTER_INFO, "master", main, data, settings);
    write(Daemon.ZOOKEEPER, -1, cluster);
    write(Daemon.NAMENODE, -1, hdfs.nameNode());
    write(Daemon.MASTER, -1, cluster);
    for (int i = 0; i < servers; i++) {
      write(Daemon.DATANODE, i, hdfs.dataNode(i));
      Configuration server = LocalSettings.server(cluster, data, hdfs, i);
      String address = placement.addresses().server(i);
      infoServer(server, SERVER_INFO, name(Daemon.REGIONSERVER, i), address, data, settings);
      write(Daemon.REGIONSERVER, i, server);
    }
    data.save();
  }

  /**
   * Gives a daemon an info server if it is to have one, unless the settings say otherwise.
   *
   * @param keys the beginning of its keys
   */
  private void infoServer(
      Configuration conf,
      String keys,
      String daemon,
      String address,
      DataDirectory data,
      Map<String, String> settings)
      throws IOException {
    conf.set(keys + BIND, settings.getOrDefault(keys + BIND, address));
    if (hasPages && !settings.containsKey(keys + PORT)) {
      conf.setInt(keys + PORT, data.port(daemon + "-info", placement.addresses().local(address)));
    }
  }

  /** The address of the master's page, or empty if the master has no info server. */
  public Optional<String> page() throws IOException {
    return page(Daemon.MASTER, -1, MASTER_INFO);
  }

  /** The address of a region server's page, or empty if it has no info server. */
  public Optional<String> page(int server) throws IOException {
    return page(Daemon.REGIONSERVER, server, SERVER_INFO);
  }

  private Optional<String> page(Daemon role, int i, String keys) throws IOException {
    Configuration conf = DaemonServer.read(conf(name(role, i)));
    int port = conf.getInt(keys + PORT, -1);
    return port <= 0
        ? Optional.empty()
        : Optional.of("http://" + conf.get(keys + BIND) + ":" + port + "/salus");
  }

  private void write(Daemon role, int i, Configuration conf) throws IOException {
    try (OutputStream to = Files.newOutputStream(conf(name(role, i)))) {
      conf.writeXml(to);
    }
  }

  private Path conf(String daemon) {
    return dir.resolve(CONF).resolve(daemon + ".xml");
  }

  private static String name(Daemon role, int i) {
    return role.name().toLowerCase(Locale.ROOT) + (i < 0 ? "" : Integer.toString(i));
  }

  private int servers() throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve(CONF))) {
      return (int)
          files
              .filter(f -> f.getFileName().toString().startsWith(name(Daemon.REGIONSERVER, -1)))
              .count();
    }
  }

  /**
   * A daemon of this cluster.
   *
   * @param i the number of a DataNode or region server, from 0; -1 for other roles
   */
  public DaemonProcess daemon(Daemon role, int i) {
    String name = name(role, i);
    List<String> jvm =
        switch (role) {
          case ZOOKEEPER -> List.of("-Xmx128m", COMPILE_QUICKLY);
          case NAMENODE -> List.of("-Xmx256m", COMPILE_QUICKLY);
          case MASTER -> List.of("-Xmx384m", COMPILE_QUICKLY);
          case DATANODE -> List.of("-Xmx256m");
          case REGIONSERVER -> List.of("-Xmx" + regionServerHeap);
        };
    return new DaemonProcess(
        dir,
        name,
        placement.on(role, i),
        withOptions(jvm),
        classPath,
        List.of(
            "daemon",
            role.name().toLowerCase(Locale.ROOT),
            "--conf",
            conf(name).toString(),
            "--log",
            DaemonProcess.log(dir, name).toString()));
  }

  /** A daemon's own options, and those that this process was told to give to all. */
  private static List<String> withOptions(List<String> jvm) {
    String more = System.getProperty(OPTIONS_KEY, "");
    return Stream.concat(jvm.stream(), more.isEmpty() ? Stream.of() : Stream.of(more.split(" ")))
        .toList();
  }

  /** The process that serves volumes by NBD. */
  public DaemonProcess nbd(List<String> volumes, String listen) {
    List<String> arguments = new ArrayList<>(List.of("nbd"));
    arguments.addAll(volumes);
    arguments.addAll(
        List.of(
            "--data",
            dir.toString(),
            "--listen",
            listen,
            "--log",
            DaemonProcess.log(dir, NBD).toString()));
    return new DaemonProcess(dir, NBD, List.of(), withOptions(NBD_JVM), classPath, arguments);
  }

  /** All daemons of the cluster in the order of their start; empty before the first start. */
  public List<DaemonProcess> daemons() throws IOException {
    if (!Files.isDirectory(dir.resolve(CONF))) {
      return List.of();
    }
    List<DaemonProcess> all =
        new ArrayList<>(List.of(daemon(Daemon.ZOOKEEPER, -1), daemon(Daemon.NAMENODE, -1)));
    int count = servers();
    IntStream.range(0, count).forEach(i -> all.add(daemon(Daemon.DATANODE, i)));
    all.add(daemon(Daemon.MASTER, -1));
    IntStream.range(0, count).forEach(i -> all.add(daemon(Daemon.REGIONSERVER, i)));
    all.add(new DaemonProcess(dir, NBD, List.of(), NBD_JVM, classPath, List.of()));
    return all;
  }

  private List<DaemonProcess> running() throws IOException {
    List<DaemonProcess> running = new ArrayList<>();
    for (DaemonProcess d : daemons()) {
      if (d.process().isPresent()) {
        running.add(d);
      }
    }
    return running;
  }

  /** Stops all daemons, the last started first, and those of one kind side by side. */
  public void stop(Consumer<String> progress) throws IOException {
    Map<String, List<DaemonProcess>> kinds = new LinkedHashMap<>();
    List<DaemonProcess> all = daemons();
    Collections.reverse(all);
    all.forEach(d -> kinds.computeIfAbsent(d.kind(), k -> new ArrayList<>()).add(d));
    for (List<DaemonProcess> kind : kinds.values()) {
      for (DaemonProcess d : kind) {
        if (d.process().isPresent()) {
          progress.accept("stopping " + d.name());
          d.terminate();
        }
      }
      for (DaemonProcess d : kind) {
        d.stop();
      }
    }
  }

  /** Kills all daemons (kill -9), for a cluster that nobody starts again. */
  public void kill() throws IOException {
    for (DaemonProcess d : running()) {
      d.kill();
    }
  }

  /** The cluster's directory, absolute. */
  public Path dir() {
    return dir;
  }

  /** The most heap of a region server, as {@code -Xmx} takes it. */
  public String regionServerHeap() {
    return regionServerHeap;
  }

  /** {@code host:port} of ZooKeeper. */
  public String zookeeper() throws IOException {
    String local = DataDirectory.zookeeper(dir);
    return placement.addresses().main() + local.substring(local.indexOf(':'));
  }
}
