package org.salus.benchmarks.figures.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.salus.benchmarks.figures.result.Comparison.Work;
import org.salus.benchmarks.report.BenchEnvironment;
import org.salus.benchmarks.report.FigureReport.Goal;
import org.salus.benchmarks.report.Plot;

class ComparisonTest {
  private static final BenchEnvironment HERE =
      new BenchEnvironment("CPU", 2, 2L << 30, "JVM 17", "-", "a cluster");
  private static final Work WRITE =
      new Work("write", "random write", "MB/s", "0.9", Goal.atLeast(2));
  private static final Work READ = new Work("read", "read: p90", "ms", "-", Goal.atMost(0.5));

  @TempDir Path dir;

  private final Comparison comparison = new Comparison(42);

  private void measured(Work work, String system, double... values) {
    for (double v : values) {
      comparison.add(work, system, v);
    }
  }

  private List<String> rows() {
    return comparison.table().lines().skip(1).map(l -> l.replaceAll(" {2,}", "|")).toList();
  }

  @Test
  void theRatioIsTheMedianOfThoseOfEachRound() {
    measured(WRITE, "Salus", 10, 40, 30);
    measured(WRITE, "HBase", 10, 10, 15);
    assertThat(rows())
        .containsExactly(
            "random write|30.00 MB/s (10.00-40.00)|HBase|10.00 MB/s (10.00-15.00)|2.00 (1.00-4.00)|0.9|>= 2.00: met");
  }

  @Test
  void everyPeerHasALineAndWhoLosesIsSaidTo() {
    measured(READ, "Salus", 6);
    measured(READ, "HBase", 10);
    measured(READ, "other", 24);
    assertThat(rows())
        .containsExactly(
            "read: p90|6.00 ms (6.00-6.00)|HBase|10.00 ms (10.00-10.00)|0.60 (0.60-0.60)|-|<= 0.50: missed",
            "read: p90|6.00 ms (6.00-6.00)|other|24.00 ms (24.00-24.00)|0.25 (0.25-0.25)|-|<= 0.50: met");
  }

  @Test
  void everyMeasurementIsALineOfTheFile() throws Exception {
    measured(WRITE, "Salus", 10, 40);
    measured(WRITE, "HBase, 1 batch", 10, 1.23456);
    Path file = dir.resolve("x.csv");
    comparison.writeCsv(file, HERE);
    String environment = "\"CPU\",\"2\",\"2048\",\"JVM 17\",\"-\",\"a cluster\"";
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "work,system,repetition,value,unit,seed,cpu,cores,heap_mb,jvm,fio,target",
            "write,\"Salus\",1,10.0000,MB/s,42," + environment,
            "write,\"Salus\",2,40.0000,MB/s,42," + environment,
            "write,\"HBase, 1 batch\",1,10.0000,MB/s,42," + environment,
            "write,\"HBase, 1 batch\",2,1.2346,MB/s,42," + environment);
    assertThatThrownBy(() -> comparison.writeCsv(file, HERE))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void tableCsvAndBothPlotsAreWrittenOnceEach() throws Exception {
    measured(WRITE, "Salus", 20);
    measured(WRITE, "HBase", 10);
    Plot bars =
        Plot.bars("bars", "MB/s", List.of("write", "read"), Map.of("Salus", List.of(20.0, 30.0)));
    FigureResult result = new FigureResult(comparison, bars, List.of("seed: 42"));
    List<Path> files = result.write(dir, "fig", HERE);
    assertThat(files)
        .containsExactly(
            dir.resolve("fig.txt"),
            dir.resolve("fig.csv"),
            dir.resolve("fig.png"),
            dir.resolve("fig.svg"));
    assertThat(files.get(0))
        .content()
        .startsWith(comparison.table())
        .contains("\nseed: 42\n", "CPU, 2 cores, JVM 17", "2048 MiB");
    assertThat(ImageIO.read(files.get(2).toFile()).getWidth()).isPositive();
    assertThat(
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(svg(files.get(3)).toFile())
                .getDocumentElement()
                .getTagName())
        .isEqualTo("svg");
    assertThatThrownBy(() -> result.write(dir, "fig", HERE))
        .isInstanceOf(FileAlreadyExistsException.class);
  }

  /** Without the name of its document type, which a parser would fetch from afar. */
  private Path svg(Path file) throws Exception {
    return Files.writeString(
        dir.resolve("plain.svg"), Files.readString(file).replaceFirst("(?s)<!DOCTYPE.*?>", ""));
  }
}
