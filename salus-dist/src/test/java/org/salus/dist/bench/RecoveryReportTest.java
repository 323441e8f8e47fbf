package org.salus.dist.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.dist.bench.RecoveryReport.Figure;

class RecoveryReportTest {
  private static final BenchEnvironment HERE = new BenchEnvironment("CPU", 2, 2L << 30, "JVM 17", "-", "a cluster");

  @TempDir
  Path dir;

  private final RecoveryReport report = new RecoveryReport();

  private void measured(Figure figure, double... seconds) {
    for (double s : seconds) {
      report.add(figure, s);
    }
  }

  private String row(String begin) {
    return report.table().lines().filter(l -> l.startsWith(begin)).findFirst().orElseThrow().replaceAll(" {2,}", "|");
  }

  @Test
  void theMedianDecidesWhetherATargetIsMet() {
    measured(Figure.REGION_SERVER_WRITE, 9, 0.4, 0.2);
    measured(Figure.DATANODE_WRITE, 0.1, 1.2, 1.1);
    assertThat(row("region server killed: next")).endsWith("|0.40 s|0.20 s|9.00 s|3|<= 1.00 s|yes");
    assertThat(row("DataNode killed: next")).endsWith("|1.10 s|0.10 s|1.20 s|3|<= 1.00 s|no");
  }

  @Test
  void theMedianOfAnEvenNumberIsBetweenTheTwoInTheMiddle() {
    measured(Figure.MOUNT, 4, 1, 2, 3);
    assertThat(row("all killed: mount")).contains("|2.50 s|");
  }

  @Test
  void whatHasNoTargetIsNeitherMetNorMissed() {
    measured(Figure.START, 30);
    assertThat(row("all killed: until")).endsWith("|1|-|-");
  }

  @Test
  void everyMeasurementIsALineOfTheFileWithItsEnvironment() throws Exception {
    measured(Figure.MOUNT, 1.5, 2);
    Path file = dir.resolve("r.csv");
    report.writeCsv(file, HERE);
    assertThat(Files.readAllLines(file)).containsExactly("figure,repetition,seconds,cpu,cores,heap_mb,jvm,fio,target",
        "mount,1,1.5000,\"CPU\",\"2\",\"2048\",\"JVM 17\",\"-\",\"a cluster\"", "mount,2,2.0000,\"CPU\",\"2\",\"2048\",\"JVM 17\",\"-\",\"a cluster\"");
    assertThatThrownBy(() -> report.writeCsv(file, HERE)).isInstanceOf(FileAlreadyExistsException.class);
  }
}
