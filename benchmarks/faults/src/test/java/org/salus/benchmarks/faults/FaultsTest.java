package org.salus.benchmarks.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.faults.hbase.HBaseTarget;
import org.salus.benchmarks.faults.history.Verdict;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.SalusTarget;
import org.salus.benchmarks.faults.table.FaultRow;
import org.salus.benchmarks.faults.table.FaultRows;
import org.salus.benchmarks.faulty.FaultyEngine;

/**
 * A few rows of the table, on real processes: volumes are as promised, and tables are not where the
 * paper says so.
 */
@Tag("cluster")
class FaultsTest {
  private static final int SERVERS = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(240);
  private static final List<String> PROMISED =
      List.of(
          "1 DataNode gone for good",
          "log corrupt on 2 replicas",
          "checkpoint corrupt on 2 replicas");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path dir;

  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  void volumesAreAsPromisedAndTablesBesideThemAreNot() throws Exception {
    long seed = System.nanoTime();
    System.out.println("faults from seed " + seed);
    Path faulty =
        Path.of(FaultyEngine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (FaultCluster cluster = FaultCluster.start(dir, SERVERS, faulty, step -> {});
        SalusTarget volumes = new SalusTarget(cluster);
        HBaseTarget tables = new HBaseTarget(cluster)) {
      FaultsRun run = new FaultsRun(cluster, seed, PATIENCE, 1, System.out::println);
      FaultRow lies = row("1 region server: corrupt data in memory");
      List<Cell> wrongReads = lies.cells().subList(0, 1);
      assertThat(run.run(volumes, wrongReads)).matches(CellResult::keepsPromise);
      assertThat(run.run(tables, wrongReads).verdicts())
          .extracting(Verdict::get)
          .containsExactly(Verdict.GetVerdict.CORRUPTED);
      List<String> broken = new ArrayList<>();
      for (String faults : PROMISED) {
        CellResult result = run.run(volumes, row(faults).cells());
        if (!result.keepsPromise()) {
          broken.add(faults + ": " + result);
        }
      }
      assertThat(broken).isEmpty();
    }
  }

  private static FaultRow row(String faults) {
    return FaultRows.all().stream()
        .filter(r -> r.faults().equals(faults))
        .findFirst()
        .orElseThrow();
  }
}
