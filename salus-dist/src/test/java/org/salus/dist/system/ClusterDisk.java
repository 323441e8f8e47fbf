package org.salus.dist.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.salus.benchmarks.faulty.FaultSwitches;
import org.salus.client.SalusClient;
import org.salus.client.SalusException;
import org.salus.client.VolumeInfo;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.dist.hbase.LocalCluster;

/**
 * A cluster of processes with one volume, which this machine has as a block device with an ext4.
 */
final class ClusterDisk implements AutoCloseable {
  static final int SERVERS = 4;
  static final String VOLUME = "disk";

  private final Path dir;
  private final LocalCluster cluster;
  private final Map<String, String> settings;
  private SalusClient client;
  private MountedDisk disk;

  /**
   * @param classes what servers need on their class path besides Salus
   */
  private ClusterDisk(Path dir, List<Path> classes, Map<String, String> settings) {
    this.dir = dir;
    this.cluster = new LocalCluster(dir, classes);
    this.settings = settings;
  }

  /** Starts all of it below a directory; returns with the file system mounted. */
  static ClusterDisk start(Path dir, long size) throws Exception {
    return start(dir, size, List.of(), Map.of());
  }

  /** Same as {@link #start}, with servers that answer wrongly when the switches say so. */
  static ClusterDisk start(Path dir, long size, FaultSwitches switches) throws Exception {
    Path faulty =
        Path.of(FaultSwitches.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return start(dir, size, List.of(faulty), switches.settings());
  }

  private static ClusterDisk start(
      Path dir, long size, List<Path> classes, Map<String, String> settings) throws Exception {
    ClusterDisk made = new ClusterDisk(dir.resolve("cluster"), classes, settings);
    try {
      made.startCluster();
      made.client = SalusClient.connect(Map.of("salus.zookeeper.quorum", made.cluster.zookeeper()));
      made.client.create(VOLUME, size, SalusClient.CreateOptions.DEFAULT);
      String listen = "127.0.0.1:" + StandaloneProcess.freePort();
      DaemonProcess bridge = made.cluster.nbd(List.of(VOLUME), listen);
      bridge.start();
      bridge.awaitReady();
      made.disk = MountedDisk.attach("nbd://" + listen + "/" + VOLUME, dir.resolve("disk"));
      Shell.run("mkfs.ext4", "-q", "-F", made.disk.device());
      made.disk.mount();
      return made;
    } catch (Exception failed) {
      made.close();
      throw failed;
    }
  }

  /** Starts whichever servers do not run. */
  void startCluster() throws IOException {
    cluster.start(SERVERS, settings, step -> {});
  }

  LocalCluster cluster() {
    return cluster;
  }

  /** The name by which the cluster knows a region server. */
  String node(int server) {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new org.apache.hadoop.fs.Path(
            dir.resolve("conf").resolve("regionserver" + server + ".xml").toUri()));
    return conf.get("hbase.regionserver.hostname") + ":" + conf.get("hbase.regionserver.port");
  }

  MountedDisk disk() {
    return disk;
  }

  /** Whether every server runs and every region has three members that serve. */
  boolean isWhole() throws IOException {
    for (DaemonProcess d : cluster.daemons()) {
      if (d.process().isEmpty()) {
        return false;
      }
    }
    return serves(3);
  }

  /** Whether every region serves with so many members or more. */
  boolean serves(int members) {
    try {
      VolumeInfo info = client.info(VOLUME);
      return info.serving() && info.regions().stream().allMatch(r -> r.members().size() >= members);
    } catch (SalusException.Unavailable noAnswer) {
      return false;
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    if (disk != null) {
      disk.close();
    }
    if (client != null) {
      client.close();
    }
    cluster.kill();
  }
}
