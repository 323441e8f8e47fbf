package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.cluster.Daemon;
import org.salus.dist.cluster.DaemonProcess;
import org.salus.dist.hbase.Await;

/** A file system in use while every host of its cluster is stopped and started again, one after the other. */
class RollingRestartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(120);

  @TempDir
  Path dir;

  @Test
  @Timeout(900)
  void aFileSystemStaysWritableWhileEveryHostIsRestarted() throws Exception {
    try (ClusterDisk disk = ClusterDisk.start(dir, 256L << 20)) {
      SyncedFiles files = SyncedFiles.startIn(disk.disk().root());
      for (List<DaemonProcess> host : hosts(disk)) {
        restart(disk, host, files);
      }
      files.stop();
      disk.disk().unmount();
      assertThat(Shell.tryRun("e2fsck", "-fn", disk.disk().device()).code()).as("e2fsck").isZero();
      disk.disk().mount();
      files.assertWholeIn(disk.disk().root());
      assertThat(disk.disk().errors()).isEmpty();
      disk.disk().unmount();
    }
  }

  private static List<List<DaemonProcess>> hosts(ClusterDisk disk) throws Exception {
    List<List<DaemonProcess>> hosts = new ArrayList<>();
    for (int i = 0; i < ClusterDisk.SERVERS; i++) {
      hosts.add(List.of(disk.cluster().daemon(Daemon.REGIONSERVER, i), disk.cluster().daemon(Daemon.DATANODE, i)));
    }
    for (Daemon only : List.of(Daemon.MASTER, Daemon.NAMENODE, Daemon.ZOOKEEPER)) {
      hosts.add(List.of(disk.cluster().daemon(only, -1)));
    }
    return hosts;
  }

  private static void restart(ClusterDisk disk, List<DaemonProcess> host, SyncedFiles files) throws Exception {
    String names = host.stream().map(DaemonProcess::name).collect(Collectors.joining(" and "));
    files.longestGapMillis();
    for (DaemonProcess d : host) {
      d.stop();
    }
    disk.startCluster();
    Await.until("every region has three members after the restart of " + names, PATIENCE, disk::isWhole);
    int before = files.count();
    Await.until("more files after the restart of " + names, PATIENCE, () -> files.count() > before + 1);
    System.out.println("restarted: " + names + ", longest gap between two fsynced files " + files.longestGapMillis() + " ms");
  }
}
