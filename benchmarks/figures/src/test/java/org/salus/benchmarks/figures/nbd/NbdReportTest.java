package org.salus.benchmarks.figures.nbd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.figures.nbd.NbdReport.Server;
import org.salus.benchmarks.report.BenchEnvironment;

class NbdReportTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final BenchEnvironment HERE =
      new BenchEnvironment("A \"fast\" CPU", 2, 2L << 30, "JVM 17", "fio-3.33", "nbd://h:1/x");

  @TempDir Path dir;

  private final NbdReport report = new NbdReport();

  private static String fioReport() throws IOException {
    try (var in = NbdReportTest.class.getResourceAsStream("/fio-latency-write.json")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private void measured(Server server, FioJob job, double megabytes, double iops, double millis) {
    report.add(
        NOW,
        server,
        job,
        1,
        10,
        new FioResult(
            1 << 20, megabytes * 1e6, iops, (long) (millis * 1e6), (long) (millis * 2e6)));
  }

  private String row(String label) {
    return report
        .table()
        .lines()
        .filter(l -> l.startsWith(label))
        .findFirst()
        .orElseThrow()
        .substring(label.length())
        .strip()
        .replaceAll(" {2,}", "|");
  }

  @Test
  void readsWhatFioReports() throws IOException {
    assertThat(FioResult.parse(fioReport(), false))
        .isEqualTo(new FioResult(12_120_064, 4_038_675, 985.999, 913_408, 3_653_632));
  }

  @Test
  void refusesReportsWithoutAResult() throws IOException {
    refused("", false, "no job");
    refused("fio: nothing here", false, "no job");
    refused("{\"jobs\": [", false, "no JSON");
    refused("{}", false, "no job");
    refused(fioReport(), true, "no request");
    refused(fioReport().replace("\"error\": 0", "\"error\": 5"), false, "error 5");
    refused(fioReport().replace("99.000000", "98.000000"), false, "percentile 99");
  }

  private static void refused(String text, boolean reads, String message) {
    assertThatThrownBy(() -> FioResult.parse(text, reads))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("\n");
  }

  @Test
  void theTableTellsResultTargetAndRatio() {
    measured(Server.SALUS, FioJob.WRITE_1M, 309, 295, 100);
    measured(Server.QEMU_NBD, FioJob.WRITE_1M, 1236, 1179, 25);
    measured(Server.SALUS, FioJob.RANDOM_READ_4K, 142, 35_527, 4);
    measured(Server.QEMU_NBD, FioJob.RANDOM_READ_4K, 284, 71_054, 2);
    measured(Server.SALUS, FioJob.READ_LATENCY, 1, 5_000, 0.12);
    measured(Server.QEMU_NBD, FioJob.READ_LATENCY, 1, 10_000, 0.03);
    assertThat(row("1 MiB sequential writes, depth 16"))
        .isEqualTo("309 MB/s|>= 309 MB/s|yes|1,236 MB/s|0.25");
    assertThat(row("4 KiB random reads, depth 64"))
        .isEqualTo("35,527 IOPS|>= 35,528 IOPS|no|71,054 IOPS|0.50");
    assertThat(row("4 KiB random reads, depth 1: p50"))
        .isEqualTo("0.120 ms|<= 0.12 ms|yes|0.030 ms|4.00");
    assertThat(row("4 KiB random reads, depth 1: p99")).isEqualTo("0.240 ms|-|-|0.060 ms|4.00");
    assertThat(report.table().lines()).hasSize(5);
  }

  @Test
  void theTableTakesMediansAndSaysWhenThereIsNoPeer() {
    measured(Server.SALUS, FioJob.WRITE_LATENCY, 1, 1, 0.5);
    measured(Server.SALUS, FioJob.WRITE_LATENCY, 1, 1, 7.0);
    measured(Server.SALUS, FioJob.WRITE_LATENCY, 1, 1, 0.56);
    assertThat(row("4 KiB random writes, depth 1: p50"))
        .isEqualTo("0.560 ms|<= 0.55 ms|no|not installed|-");
    measured(Server.SALUS, FioJob.WRITE_LATENCY, 1, 1, 0.54);
    assertThat(row("4 KiB random writes, depth 1: p50")).startsWith("0.550 ms|<= 0.55 ms|yes");
  }

  @Test
  void csvHasALineForEachResultWithItsEnvironment() throws IOException {
    measured(Server.SALUS, FioJob.WRITE_1M, 150, 143, 100);
    measured(Server.QEMU_NBD, FioJob.WRITE_1M, 600.5, 572.25, 25);
    Path file = dir.resolve("x.csv");
    report.writeCsv(file, HERE);
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "time,server,job,repetition,seconds,bytes,mb_per_s,iops,p50_us,p99_us,cpu,cores,heap_mb,jvm,fio,target",
            "2026-01-02T03:04:05Z,salus,write-1m,1,10,1048576,150.00,143.0,100000.0,200000.0,\"A \"\"fast\"\" CPU\",\"2\",\"2048\",\"JVM 17\",\"fio-3.33\",\"nbd://h:1/x\"",
            "2026-01-02T03:04:05Z,qemu-nbd,write-1m,1,10,1048576,600.50,572.3,25000.0,50000.0,\"A \"\"fast\"\" CPU\",\"2\",\"2048\",\"JVM 17\",\"fio-3.33\",\"nbd://h:1/x\"");
    assertThatThrownBy(() -> report.writeCsv(file, HERE)).isInstanceOf(IOException.class);
  }

  @Test
  void thePlotSaysHowOftenATargetIsReached() throws IOException {
    measured(Server.SALUS, FioJob.WRITE_1M, 618, 589, 100);
    measured(Server.SALUS, FioJob.READ_LATENCY, 1, 5_000, 0.24);
    List<Path> files = report.write(dir, "nbd", HERE);
    assertThat(files)
        .containsExactly(
            dir.resolve("nbd.txt"),
            dir.resolve("nbd.csv"),
            dir.resolve("nbd.png"),
            dir.resolve("nbd.svg"));
    assertThat(files.get(0)).content().startsWith(report.table()).contains("fio-3.33");
    assertThat(report.timesTarget()).containsOnlyKeys("Salus");
    assertThat(report.timesTarget().get("Salus"))
        .containsExactly(2.0, null, null, null, null, null, null, 0.5);
  }

  @Test
  void aMissingFioNamesItsPackage() {
    assertThatThrownBy(() -> new Fio("no-such-fio", dir))
        .hasMessageContaining("apt install fio")
        .hasMessageNotContaining("\n");
  }
}
