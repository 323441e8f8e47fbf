package org.salus.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

class MicrobenchmarksTest {

  @Test
  void everyBenchmarkRunsOnceWithEachOfItsParameters() throws Exception {
    // Another run on this machine does not matter where nothing is measured.
    System.setProperty("jmh.ignoreLock", "true");
    Collection<RunResult> results =
        new Runner(
                new OptionsBuilder()
                    .mode(Mode.SingleShotTime)
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    assertThat(results)
        .hasSizeGreaterThan(80)
        .allSatisfy(r -> assertThat(ResultLine.of(r).nanos()).isPositive());
  }

  @Test
  void tableTellsTimeAndBytesPerBlock() {
    ResultLine line = new ResultLine("SubBatch.encode", "order=random", 32, 3300, 3200, 64);
    assertThat(line.csv()).isEqualTo("SubBatch.encode,order=random,32,3300,3200,64.0,100,2.0");
    assertThat(line.toString()).hasSameSizeAs(ResultLine.TITLE).endsWith("2.0");
  }
}
