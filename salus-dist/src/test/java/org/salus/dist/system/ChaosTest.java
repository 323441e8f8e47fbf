package org.salus.dist.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.faulty.FaultSwitches;
import org.salus.dist.hbase.Await;
import org.salus.dist.hbase.DaemonProcess;
import org.salus.host.DaemonThreads;

/**
 * A file system stays in use on a cluster of processes. Every 10 s a random server is killed,
 * stands still, or has wrong members. The next harm need not wait until the cluster has recovered
 * from the last: it begins when every region has two members and the budget allows it.
 *
 * <p>The commit's hash is the seed. {@code -Dsalus.chaos.seed=N} sets another one, {@code
 * -Dsalus.chaos.seconds=600} makes it last ten minutes.
 */
@Tag("long")
@Tag("cluster")
class ChaosTest {
  private static final int SECONDS = Integer.getInteger("salus.chaos.seconds", 40);
  private static final long SIZE = 512L << 20;
  private static final Duration PERIOD = Duration.ofSeconds(10);
  private static final int MEMBERS = 2;
  private static final long STEP_NANOS = 100_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(300);
  private static final long BETWEEN_CHECKS_NANOS = 50_000_000;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  @Timeout(3600)
  void fsyncedFilesAreWholeWhileServersDieStandStillAndDoWrong() throws Exception {
    Long given = Long.getLong("salus.chaos.seed");
    long seed =
        given != null
            ? given
            : Long.parseLong(Shell.run("git", "rev-parse", "--short=12", "HEAD").strip(), 16);
    System.out.println("chaos: -Dsalus.chaos.seed=" + seed + " -Dsalus.chaos.seconds=" + SECONDS);
    FaultSwitches switches = FaultSwitches.in(dir.resolve("faults"));
    try (ClusterDisk disk = ClusterDisk.start(dir, SIZE, switches)) {
      SyncedFiles files = SyncedFiles.startIn(disk.disk().root());
      Reader reader = new Reader(files, disk.disk(), seed);
      Chaos chaos = new Chaos(disk, switches, files, new Random(seed));
      long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      while (System.nanoTime() < end) {
        chaos.step(true);
        reader.assertFine();
        assertThat(disk.disk().errors()).isEmpty();
      }
      Await.until(
          "every server runs and every region has three members",
          PATIENCE,
          () -> !chaos.step(false) && disk.isWhole());
      files.stop();
      System.out.println(
          "chaos: "
              + chaos
              + "; "
              + files.count()
              + " files were fsynced, "
              + reader.stop()
              + " read back meanwhile");
      check(disk.disk(), files);
    }
  }

  /** Harms one server after the other, and mends what ended. */
  private static final class Chaos {
    private final ClusterDisk disk;
    private final SyncedFiles files;
    private final FaultSwitches switches;
    private final Random random;

    /** The running harms, each with the time of its end in nanoseconds. */
    private final Map<Harm, Long> lasting = new LinkedHashMap<>();

    private long due = System.nanoTime();
    private long progress = System.nanoTime();
    private int synced;
    private int harms;
    private int early;
    private long latest;

    Chaos(ClusterDisk disk, FaultSwitches switches, SyncedFiles files, Random random) {
      this.disk = disk;
      this.switches = switches;
      this.files = files;
      this.random = random;
    }

    /** Does what is due. Returns whether any harm lasts. */
    boolean step(boolean more) throws Exception {
      for (Harm h :
          lasting.entrySet().stream()
              .filter(e -> e.getValue() - System.nanoTime() <= 0)
              .map(Map.Entry::getKey)
              .toList()) {
        lasting.remove(h);
        h.end();
      }
      mend();
      if (more && System.nanoTime() - due >= 0 && disk.serves(MEMBERS)) {
        harm();
      }
      assertProgress();
      LockSupport.parkNanos(STEP_NANOS);
      return !lasting.isEmpty();
    }

    private void harm() throws Exception {
      Harm next = draw();
      boolean whole = disk.isWhole();
      long late = (System.nanoTime() - due) / 1_000_000;
      System.out.println(
          "chaos: "
              + next
              + "; "
              + late
              + " ms late, "
              + (whole ? "all was well" : "not all was well")
              + ", longest gap between two"
              + " fsynced files "
              + files.longestGapMillis()
              + " ms");
      harms++;
      early += whole ? 0 : 1;
      latest = Math.max(latest, late);
      due = Math.max(due + PERIOD.toNanos(), System.nanoTime() + PERIOD.toNanos() / 2);
      next.begin();
      Await.until("begun: " + next, PATIENCE, () -> mendUntil(next));
      lasting.put(next, System.nanoTime() + next.time().toNanos());
    }

    private Harm draw() {
      while (true) {
        Harm drawn = Harm.any(disk, switches, random);
        if (drawn.goesWith(List.copyOf(lasting.keySet()))) {
          return drawn;
        }
      }
    }

    /** A server that stood still may end itself just before it reads what it is to do wrong. */
    private boolean mendUntil(Harm harm) throws Exception {
      mend();
      return harm.hasBegun();
    }

    /** Starts ended processes, as a service manager does, unless a harm keeps them down. */
    private void mend() throws Exception {
      Set<String> held =
          lasting.keySet().stream()
              .flatMap(h -> h.held().stream())
              .map(DaemonProcess::name)
              .collect(Collectors.toSet());
      for (DaemonProcess d : disk.cluster().daemons()) {
        if (d.process().isEmpty() && !held.contains(d.name())) {
          assertThat(d.name()).as("nobody harms the bridge").isNotEqualTo("nbd");
          d.start();
        }
      }
    }

    private void assertProgress() throws Exception {
      int now = files.count();
      if (now > synced) {
        synced = now;
        progress = System.nanoTime();
      }
      assertThat(Duration.ofNanos(System.nanoTime() - progress))
          .as("since the last fsynced file")
          .isLessThan(PATIENCE);
    }

    @Override
    public String toString() {
      return harms
          + " harms, "
          + early
          + " of them before all was well after the one before, the latest "
          + latest
          + " ms late";
    }
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
      thread =
          DaemonThreads.start(
              "reader",
              () -> {
                try {
                  for (; !stopped; checked++) {
                    files.checkOneIn(disk.root(), random, disk);
                    LockSupport.parkNanos(BETWEEN_CHECKS_NANOS);
                  }
                } catch (Exception | AssertionError e) {
                  failed.set(e);
                }
              });
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
