package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.client.SalusClient;
import org.salus.client.VolumeInfo;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.cluster.LocalCluster;
import org.salus.dist.hbase.Await;

/** A file system on a cluster of processes, of which one after the other is killed and started again. */
class KilledServersTest {
  private static final int SERVERS = 4;
  private static final int FILES_BETWEEN = 15;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir
  Path dir;

  @Test
  void aFileSystemStaysMountedWhileServersAndTheMasterAreKilled() throws Exception {
    LocalCluster cluster = new LocalCluster(dir.resolve("cluster"));
    try {
      cluster.start(SERVERS, Map.of(), step -> { });
      try (SalusClient client = SalusClient.connect(Map.of("salus.zookeeper.quorum", cluster.zookeeper()))) {
        client.create("disk", 256L << 20, SalusClient.CreateOptions.DEFAULT);
        String listen = "127.0.0.1:" + StandaloneProcess.freePort();
        DaemonProcess bridge = cluster.nbd(List.of("disk"), listen);
        bridge.start();
        bridge.awaitReady();
        use(cluster, client, "nbd://" + listen + "/disk");
      }
    } finally {
      cluster.stop(step -> { });
    }
  }

  private void use(LocalCluster cluster, SalusClient client, String uri) throws Exception {
    try (MountedDisk disk = MountedDisk.attach(uri, dir.resolve("disk"))) {
      Shell.run("mkfs.ext4", "-q", "-F", disk.device());
      disk.mount();
      SyncedFiles files = SyncedFiles.startIn(disk.root());
      awaitMore(files);
      kill(cluster.daemon(Daemon.REGIONSERVER, 0), files);
      kill(cluster.daemon(Daemon.DATANODE, 1), files);
      startAgain(cluster, client, files);
      kill(cluster.daemon(Daemon.REGIONSERVER, 2), files);
      kill(cluster.daemon(Daemon.DATANODE, 2), files);
      startAgain(cluster, client, files);
      kill(cluster.daemon(Daemon.MASTER, -1), files);
      startAgain(cluster, client, files);
      files.stop();
      disk.unmount();
      assertThat(Shell.tryRun("e2fsck", "-fn", disk.device()).code()).as("e2fsck").isZero();
      disk.mount();
      files.assertWholeIn(disk.root());
      disk.unmount();
    }
  }

  private static void kill(DaemonProcess daemon, SyncedFiles files) throws Exception {
    long begin = System.nanoTime();
    daemon.process().orElseThrow().destroyForcibly();
    int before = files.count();
    Await.until("another file after the kill of " + daemon.name(), PATIENCE, () -> files.count() > before + 1);
    System.out.println("two files were fsynced within " + (System.nanoTime() - begin) / 1_000_000 + " ms after the kill of " + daemon.name());
    awaitMore(files);
  }

  private static void startAgain(LocalCluster cluster, SalusClient client, SyncedFiles files) throws Exception {
    cluster.start(SERVERS, Map.of(), step -> { });
    Await.until("every region has three members that serve", PATIENCE, () -> isWhole(client.info("disk")));
    awaitMore(files);
  }

  private static boolean isWhole(VolumeInfo info) {
    return info.serving() && info.regions().stream().allMatch(r -> r.members().size() == 3);
  }

  private static void awaitMore(SyncedFiles files) throws Exception {
    int before = files.count();
    Await.until(FILES_BETWEEN + " more files", PATIENCE, () -> files.count() >= before + FILES_BETWEEN);
  }
}
