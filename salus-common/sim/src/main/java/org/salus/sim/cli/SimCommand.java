package org.salus.sim.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.salus.sim.FaultPlan;
import org.salus.sim.SimOptions;
import org.salus.sim.Simulation;
import org.salus.sim.check.Violation;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code bin/salus sim}: runs many seeds, or one with its trace. */
@Command(
    name = "sim",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description =
        "Runs the protocol's own classes under a simulated clock, network and disks, with crashes, and checks every property.",
    footer = {
      "",
      "Examples:",
      "  bin/salus sim --seeds 10000",
      "  bin/salus sim --seed 4711 --trace"
    })
public final class SimCommand implements Callable<Integer> {

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "1000",
      description = "how many seeds to run (default: ${DEFAULT-VALUE})")
  long seeds;

  @Option(
      names = "--start-seed",
      paramLabel = "S",
      description = "the first of them (default: from the clock)")
  Long startSeed;

  @Option(names = "--seed", paramLabel = "S", description = "run this one seed only")
  Long seed;

  @Option(names = "--trace", description = "with --seed: print every message and fault")
  boolean trace;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "150",
      description = "requests of each run (default: ${DEFAULT-VALUE})")
  int requests;

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "KIND",
      description = "one to three faults a run, of these kinds only; a wrong name lists them all")
  List<String> faults;

  @Option(
      names = "--beyond",
      description =
          "more faults than the promise covers; that nothing wrong is ever read is all that is checked then")
  boolean beyond;

  public static void main(String[] args) {
    System.exit(new CommandLine(new SimCommand()).execute(args));
  }

  @Override
  public Integer call() throws InterruptedException {
    try {
      options();
    } catch (IllegalArgumentException e) {
      throw new ParameterException(new CommandLine(this), "--faults: " + e.getMessage());
    }
    return seed != null ? one(seed) : many();
  }

  private SimOptions options() {
    SimOptions s =
        SimOptions.standard().withRequests(requests).withTrace(trace ? System.out::println : null);
    s = faults == null ? s : s.withFaults(FaultPlan.only(faults.toArray(String[]::new)));
    return beyond ? s.beyondPromise() : s;
  }

  private int one(long n) {
    try {
      new Simulation(n, options()).run();
      System.out.println("seed " + n + ": no violation");
      return 0;
    } catch (RuntimeException e) {
      System.out.println("seed " + n + ": " + e.getMessage());
      if (!(e instanceof Violation)) {
        e.printStackTrace(System.out);
      }
      return 1;
    }
  }

  private int many() throws InterruptedException {
    long first = startSeed != null ? startSeed : System.nanoTime();
    System.out.println("seeds " + first + " to " + (first + seeds - 1));
    AtomicLong next = new AtomicLong(first);
    AtomicLong done = new AtomicLong();
    AtomicLong failed = new AtomicLong();
    int threads = Runtime.getRuntime().availableProcessors();
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    for (int i = 0; i < threads; i++) {
      pool.execute(
          () -> {
            for (long s = next.getAndIncrement(); s < first + seeds; s = next.getAndIncrement()) {
              runOne(s, failed);
              long n = done.incrementAndGet();
              if (n % 1000 == 0) {
                System.err.println(n + " of " + seeds + " seeds, " + failed.get() + " failed");
              }
            }
          });
    }
    pool.shutdown();
    pool.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
    System.out.println(done.get() - failed.get() + " passed, " + failed.get() + " failed");
    return failed.get() == 0 ? 0 : 1;
  }

  private void runOne(long s, AtomicLong failed) {
    try {
      new Simulation(s, options()).run();
    } catch (RuntimeException e) {
      failed.incrementAndGet();
      System.out.println(
          "seed "
              + s
              + ": "
              + (e instanceof Violation ? e.getMessage() : e.toString())
              + "\n  replay: "
              + replay(s));
    }
  }

  /** The command that runs a seed again, with every option that changes the run. */
  String replay(long s) {
    return "bin/salus sim --seed "
        + s
        + " --trace --requests "
        + requests
        + (beyond ? " --beyond" : "")
        + (faults == null ? "" : " --faults " + String.join(",", faults));
  }
}
