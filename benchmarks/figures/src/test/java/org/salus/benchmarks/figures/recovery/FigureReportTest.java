package org.salus.benchmarks.figures.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.FigureReport;
import org.salus.benchmarks.report.FigureReport.Figure;

class FigureReportTest {
  private static final BenchEnvironment HERE =
      new BenchEnvironment("CPU", 2, 2L << 30, "JVM 17", "-", "a cluster");

  @TempDir Path dir;

  private final FigureReport report = new FigureReport();

  private void measured(Figure figure, double... values) {
    for (double v : values) {
      report.add(figure, v);
    }
  }

  private String row(String begin) {
    return report
        .table()
        .lines()
        .filter(l -> l.startsWith(begin))
        .findFirst()
        .orElseThrow()
        .replaceAll(" {2,}", "|");
  }

  @Test
  void theMedianDecidesWhetherATargetIsMet() {
    measured(RecoveryBench.REGION_SERVER_WRITE, 9, 0.4, 0.2);
    measured(RecoveryBench.DATANODE_WRITE, 0.1, 1.2, 1.1);
    assertThat(row("region server killed: next")).endsWith("|0.40 s|0.20 s|9.00 s|3|<= 1.00 s|yes");
    assertThat(row("DataNode killed: next")).endsWith("|1.10 s|0.10 s|1.20 s|3|<= 1.00 s|no");
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    measured(RecoveryBench.MOUNT, 4, 1, 2, 3);
    assertThat(row("all killed: mount")).contains("|2.50 s|");
  }

  @Test
  void whatIsToBeAtLeastAValueIsMetAboveIt() {
    measured(ScrubBench.SPEED, 150, 210, 220);
    measured(ScrubBench.LOSS, -1, 7, 6);
    assertThat(row("replicas checked"))
        .endsWith("|210.00 MB/s|150.00 MB/s|220.00 MB/s|3|>= 200.00 MB/s|yes");
    assertThat(row("of the writes lost")).endsWith("|6.00 %|-1.00 %|7.00 %|3|<= 5.00 %|no");
  }

  @Test
  void aLogOfWhichMuchIsFlushedIsNotMeasured() throws Exception {
    measured(
        RecoveryBench.LOG_UNFLUSHED,
        RecoveryBench.unflushed(96 << 20, 128 << 20),
        RecoveryBench.unflushed(200 << 20, 128 << 20));
    assertThat(row("M0 of a region with unflushed log killed: of its log"))
        .contains("|148.00 MiB|96.00 MiB|200.00 MiB|2|");
    assertThatThrownBy(() -> RecoveryBench.unflushed(95 << 20, 128 << 20))
        .hasMessageContaining("only 95 MiB of the region's log were unflushed")
        .hasMessageContaining("not 128 MiB")
        .hasMessageContaining("run it again");
  }

  @Test
  void whatHasNoTargetIsNeitherMetNorMissed() {
    measured(RecoveryBench.START, 30);
    assertThat(row("all killed: until")).endsWith("|1|-|-");
  }

  @Test
  void everyMeasurementIsALineOfTheFileWithItsEnvironment() throws Exception {
    measured(RecoveryBench.MOUNT, 1.5, 2);
    Path file = dir.resolve("r.csv");
    report.writeCsv(file, HERE);
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "figure,repetition,value,unit,cpu,cores,heap_mb,jvm,fio,target",
            "mount,1,1.5000,s,\"CPU\",\"2\",\"2048\",\"JVM 17\",\"-\",\"a cluster\"",
            "mount,2,2.0000,s,\"CPU\",\"2\",\"2048\",\"JVM 17\",\"-\",\"a cluster\"");
    assertThatThrownBy(() -> report.writeCsv(file, HERE))
        .isInstanceOf(FileAlreadyExistsException.class);
  }
}
