package org.salus.sim.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.salus.sim.SimOptions;
import org.salus.sim.explore.Explorer;
import org.salus.sim.explore.Replay;
import org.salus.sim.explore.Scenario;
import org.salus.sim.explore.Scenario.ExploredFault;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code bin/salus explore}: explores every interleaving of small worlds, or tells one way again
 * step by step.
 */
@Command(
    name = "explore",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs the protocol's own classes through every order of events of small worlds: each message, disk write and fault at every "
          + "point where it can be. Every step is checked (freshness, ordered commit, prefix, unanimity, no spurious change, one chain, single "
          + "writer), and every end is healed, mounted again and read back.",
      "Prints for each scenario: states, steps that led to a known one (merged), ends, and whether the bound cut it. Exit code 1 when a "
          + "property breaks or a bound cuts; the shortest way there is printed, with the command that runs it again."
    },
    footer = {
      "",
      "Examples:",
      "  bin/salus explore --list                      which scenarios there are",
      "  bin/salus explore                             the standard ones, about five minutes on two cores",
      "  bin/salus explore --scenario crash --faults CRASH,PAUSE --members 3 --states 50000000",
      "  bin/salus explore --scenario crash --replay 0,2,3,2   a way again, told step by step"
    })
public final class ExploreCommand implements Callable<Integer> {
  /** The most heap that a standard scenario takes, in bytes. */
  private static final long HEAP = 2L << 30;

  @Spec private CommandSpec spec;

  @Option(names = "--list", description = "list the scenarios and do nothing")
  private boolean list;

  @Option(
      names = "--scenario",
      split = ",",
      paramLabel = "NAME",
      description = "these only (default: the standard ones)")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--states",
      paramLabel = "N",
      defaultValue = "8000000",
      description =
          "stop a scenario after N states; a million take about 0.5 GB of heap, see SALUS_HEAP (default: ${DEFAULT-VALUE})")
  private long states;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      defaultValue = "600",
      description = "stop a scenario after S seconds (default: ${DEFAULT-VALUE})")
  private long seconds;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description =
          "scenarios at a time (default: one for each 2 GB of heap, and for each processor)")
  private int threads =
      (int)
          Math.min(
              Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory() / HEAP);

  @Option(
      names = "--members",
      paramLabel = "N",
      description = "members of an epoch, 1 to 3, instead of the scenario's")
  private Integer members;

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "KIND",
      description = "kinds of fault, instead of the scenario's: ${COMPLETION-CANDIDATES}")
  private List<ExploredFault> faults;

  @Option(names = "--unordered", description = "messages of one connection arrive in any order")
  private boolean unordered;

  @Option(
      names = "--replay",
      paramLabel = "CHOICES",
      split = ",",
      description = "with one --scenario: take these choices and tell each step")
  private List<Integer> replay;

  @Override
  public Integer call() throws InterruptedException {
    if (list) {
      Scenario.all()
          .forEach(
              s ->
                  System.out.printf(
                      "%-9s %s%s%n",
                      s.name(), s.what(), Scenario.standard().contains(s) ? "" : " (large)"));
      return 0;
    }
    List<Scenario> chosen = chosen();
    if (replay != null) {
      if (chosen.size() != 1) {
        throw new ParameterException(
            spec.commandLine(), "--replay needs one --scenario, the one that was explored");
      }
      return new Replay(chosen.get(0), SimOptions.standard()).run(replay, System.out::println)
              == null
          ? 0
          : 1;
    }
    return explore(chosen);
  }

  private List<Scenario> chosen() {
    Map<String, Scenario> all =
        Scenario.all().stream().collect(Collectors.toMap(Scenario::name, s -> s));
    for (String n : names) {
      if (!all.containsKey(n)) {
        throw new ParameterException(
            spec.commandLine(), "there is no scenario '" + n + "'; --list shows them");
      }
    }
    if (members != null && (members < 1 || members > 3)) {
      throw new ParameterException(spec.commandLine(), "--members " + members + ": use 1 to 3");
    }
    List<Scenario> some =
        names.isEmpty() ? Scenario.standard() : names.stream().map(all::get).toList();
    return some.stream().map(this::adapted).toList();
  }

  private Scenario adapted(Scenario s) {
    Scenario t = unordered ? s.unordered() : s;
    t = members == null ? t : t.withMembers(members);
    return faults == null ? t : t.withFaults(Set.copyOf(faults));
  }

  private int explore(List<Scenario> chosen) throws InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(Math.max(1, threads));
    long began = System.nanoTime();
    List<Future<Explorer.Result>> running =
        chosen.stream().map(s -> pool.submit(() -> run(s))).toList();
    pool.shutdown();
    boolean clean = true;
    long sum = 0;
    for (Future<Explorer.Result> f : running) {
      try {
        clean &= f.get().isClean();
        sum += f.get().states();
      } catch (ExecutionException e) {
        throw new IllegalStateException("an exploration failed", e.getCause());
      }
    }
    System.out.printf(
        "%,d states in %.0f s: %s%n",
        sum,
        (System.nanoTime() - began) / 1e9,
        clean ? "every property holds in all of them" : "NOT clean");
    return clean ? 0 : 1;
  }

  private Explorer.Result run(Scenario s) {
    Explorer.Result r =
        new Explorer(s, SimOptions.standard())
            .run(new Explorer.Bound(states, seconds), System.err::println);
    synchronized (this) {
      System.out.println(r);
      if (r.broken() != null) {
        System.out.println(r.broken().what());
        new Replay(s, SimOptions.standard())
            .run(r.broken().choices(), line -> System.out.println("  " + line));
        System.out.println(
            "again: bin/salus explore --scenario "
                + s.name()
                + options()
                + " --replay "
                + r.broken().choices().stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(",")));
      }
    }
    return r;
  }

  private String options() {
    return (members == null ? "" : " --members " + members)
        + (unordered ? " --unordered" : "")
        + (faults == null
            ? ""
            : " --faults "
                + faults.stream().map(ExploredFault::name).collect(Collectors.joining(",")));
  }
}
