package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.faults.FaultSwitches;
import org.salus.dist.hbase.Await;

/**
 * A file system in use on a cluster of processes while a random server is killed, stands still, or has wrong members, every 10 s.
 * The commit's hash says which; {@code -Dsalus.chaos.seed=N} another, {@code -Dsalus.chaos.seconds=600} for ten minutes of it.
 */
class ChaosTest {
  private static final int SECONDS = Integer.getInteger("salus.chaos.seconds", 60);
  private static final long SIZE = 512L << 20;
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final long BETWEEN_CHECKS_NANOS = 50_000_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  @Timeout(3600)
  void fsyncedFilesAreWholeWhileServersDieStandStillAndDoWrong() throws Exception {
    Long given = Long.getLong("salus.chaos.seed");
    long seed = given != null ? given : Long.parseLong(Shell.run("git", "rev-parse", "--short=12", "HEAD").strip(), 16);
    System.out.println("chaos: -Dsalus.chaos.seed=" + seed + " -Dsalus.chaos.seconds=" + SECONDS);
    FaultSwitches switches = FaultSwitches.in(dir.resolve("faults"));
    try (ClusterDisk disk = ClusterDisk.start(dir, SIZE, switches)) {
      SyncedFiles files = SyncedFiles.startIn(disk.disk().root());
      Reader reader = new Reader(files, disk.disk(), seed);
      Random random = new Random(seed);
      long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      while (System.nanoTime() < end) {
        once(disk, files, Harm.any(disk, switches, random));
        reader.assertFine();
        assertThat(disk.disk().errors()).isEmpty();
      }
      files.stop();
      System.out.println("chaos: " + files.count() + " files were fsynced, " + reader.stop() + " read back meanwhile");
      check(disk.disk(), files);
    }
  }

  private static void once(ClusterDisk disk, SyncedFiles files, Harm harm) throws Exception {
    long begin = System.nanoTime();
    System.out.println("chaos: " + harm);
    files.longestGapMillis();
    harm.inflict();
    Await.until("every server runs and every region has three members", PATIENCE, () -> {
      files.count();
      disk.startCluster();
      return disk.isWhole();
    });
    long whole = (System.nanoTime() - begin) / 1_000_000;
    int before = files.count();
    Await.until("another file", PATIENCE, () -> files.count() > before + 1);
    System.out.println("chaos: whole again after " + whole + " ms, longest gap between two fsynced files " + files.longestGapMillis() + " ms");
    Await.until("the next period", PATIENCE, () -> System.nanoTime() - begin >= PERIOD.toNanos());
  }

  private static void check(MountedDisk disk, SyncedFiles files) throws Exception {
    disk.unmount();
    assertThat(Shell.tryRun("e2fsck", "-fn", disk.device()).code()).as("e2fsck").isZero();
    disk.mount();
    files.assertWholeIn(disk.root());
    assertThat(disk.errors()).isEmpty();
    disk.unmount();
  }

  /** Reads files back all the time. */
  private static final class Reader {
    private final AtomicReference<Throwable> failed = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean stopped;
    private int checked;

    Reader(SyncedFiles files, MountedDisk disk, long seed) {
      Random random = new Random(seed);
      thread = new Thread(() -> {
        try {
          for (; !stopped; checked++) {
            files.checkOneIn(disk.root(), random, disk);
            LockSupport.parkNanos(BETWEEN_CHECKS_NANOS);
          }
        } catch (Exception | AssertionError e) {
          failed.set(e);
        }
      }, "reader");
      thread.setDaemon(true);
      thread.start();
    }

    void assertFine() {
      assertThat(failed.get()).isNull();
    }

    int stop() throws InterruptedException {
      stopped = true;
      thread.join();
      assertFine();
      return checked;
    }
  }
}
