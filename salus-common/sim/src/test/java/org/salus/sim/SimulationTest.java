package org.salus.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.salus.sim.fault.SimFault;

@Tag("long")
class SimulationTest {
  /** One run beyond the promise for this many seeds within it. */
  private static final int BEYOND = 5;

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void freshSeedsKeepEveryPropertyUnderFaultsThatThePromiseCovers() throws InterruptedException {
    Seeds.run("faults that the promise covers", Seeds.count(), SimOptions.standard(), "");
  }

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void freshSeedsRefuseAndNeverLieUnderMoreFaults() throws InterruptedException {
    Seeds.run(
        "more faults than the promise covers",
        Seeds.count() / BEYOND,
        SimOptions.standard().beyondPromise(),
        " --beyond");
  }

  @Test
  void oneSeedRunTwiceGivesTheSameTrace() {
    for (long seed = 11; seed < 26; seed++) {
      assertThat(trace(seed, SimOptions.standard()))
          .hasSizeGreaterThan(100)
          .isEqualTo(trace(seed, SimOptions.standard()));
    }
    assertThat(trace(7, SimOptions.standard().beyondPromise()))
        .isEqualTo(trace(7, SimOptions.standard().beyondPromise()));
  }

  @Test
  void everyKindOfFaultHappens() {
    for (Supplier<SimFault> f : FaultPlan.all()) {
      String kind = f.get().kind();
      SimOptions options =
          SimOptions.standard().beyondPromise().withRequests(60).withFaults(FaultPlan.only(kind));
      assertThat(
              LongStream.range(1, 200)
                  .anyMatch(
                      seed ->
                          trace(seed, options).stream().anyMatch(line -> line.contains("fault:"))))
          .as(kind)
          .isTrue();
    }
  }

  private static List<String> trace(long seed, SimOptions options) {
    List<String> lines = new ArrayList<>();
    new Simulation(seed, options.withTrace(lines::add)).run();
    return lines;
  }
}
