package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.Daemon;
import org.salus.dist.hbase.DaemonProcess;

/**
 * A file system on a cluster of processes, of which one after the other is killed, or stopped
 * orderly, and started again.
 */
@Tag("cluster")
class KilledServersTest {
  private static final int FILES_BETWEEN = 15;
  private static final Duration PATIENCE = Duration.ofSeconds(300);

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  static Path dir;

  private static ClusterDisk disk;

  @BeforeAll
  static void start() throws Exception {
    disk = ClusterDisk.start(dir, 256L << 20);
  }

  @AfterAll
  static void stop() throws Exception {
    if (disk != null) {
      disk.close();
    }
  }

  @Test
  @Timeout(1800)
  void aFileSystemStaysMountedWhileServersAndTheMasterAreKilled() throws Exception {
    SyncedFiles files = writeInto("killed");
    kill(disk.cluster().daemon(Daemon.REGIONSERVER, 0), files);
    kill(disk.cluster().daemon(Daemon.DATANODE, 1), files);
    startAgain(files);
    kill(disk.cluster().daemon(Daemon.REGIONSERVER, 2), files);
    kill(disk.cluster().daemon(Daemon.DATANODE, 2), files);
    startAgain(files);
    kill(disk.cluster().daemon(Daemon.MASTER, -1), files);
    startAgain(files);
    assertWhole(files, "killed");
  }

  @Test
  @Timeout(1800)
  void aFileSystemStaysMountedWhileOneServerAfterTheOtherIsRestarted() throws Exception {
    SyncedFiles files = writeInto("restarted");
    for (int i = 0; i < ClusterDisk.SERVERS; i++) {
      restart(
          files,
          disk.cluster().daemon(Daemon.REGIONSERVER, i),
          disk.cluster().daemon(Daemon.DATANODE, i));
    }
    restart(files, disk.cluster().daemon(Daemon.MASTER, -1));
    restart(files, disk.cluster().daemon(Daemon.NAMENODE, -1));
    assertWhole(files, "restarted");
  }

  /** Has files written into a new directory of the mounted disk; returns when some are. */
  private static SyncedFiles writeInto(String directory) throws Exception {
    SyncedFiles files =
        SyncedFiles.startIn(Files.createDirectory(disk.disk().root().resolve(directory)));
    awaitMore(files);
    return files;
  }

  private static void assertWhole(SyncedFiles files, String directory) throws Exception {
    files.stop();
    disk.disk().unmount();
    assertThat(Shell.tryRun("e2fsck", "-fn", disk.disk().device()).code()).as("e2fsck").isZero();
    disk.disk().mount();
    files.assertWholeIn(disk.disk().root().resolve(directory));
  }

  private static void restart(SyncedFiles files, DaemonProcess... daemons) throws Exception {
    files.longestGapMillis();
    for (DaemonProcess d : daemons) {
      d.stop();
    }
    startAgain(files);
    System.out.println(
        "the longest time between two fsynced files was "
            + files.longestGapMillis()
            + " ms when "
            + daemons[0].name()
            + " was restarted");
  }

  /**
   * Kills a daemon. Starts it first if it does not run: a region server ends itself when HBase
   * needed the NameNode for a new WAL while that was restarted.
   */
  private static void kill(DaemonProcess daemon, SyncedFiles files) throws Exception {
    if (daemon.process().isEmpty()) {
      startAgain(files);
    }
    long begin = System.nanoTime();
    daemon.running().destroyForcibly();
    int before = files.count();
    Await.until(
        "another file after the kill of " + daemon.name(),
        PATIENCE,
        () -> files.count() > before + 1);
    System.out.println(
        "two files were fsynced within "
            + (System.nanoTime() - begin) / 1_000_000
            + " ms after the kill of "
            + daemon.name());
    awaitMore(files);
  }

  private static void startAgain(SyncedFiles files) throws Exception {
    Await.until(
        "every server runs and every region has three members that serve",
        PATIENCE,
        () -> {
          disk.startCluster();
          return disk.isWhole();
        });
    awaitMore(files);
  }

  private static void awaitMore(SyncedFiles files) throws Exception {
    int before = files.count();
    Await.until(
        FILES_BETWEEN + " more files", PATIENCE, () -> files.count() >= before + FILES_BETWEEN);
  }
}
