package org.salus.dist.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Runs cells one after the other on one cluster, each on a store of its own, and tells how it goes. */
public final class FaultsRun {
  private static final Duration BEYOND = Duration.ofSeconds(8);
  private static final int AT_ONCE = 4;

  private final FaultCluster cluster;
  private final long seed;
  private final Duration within;
  private final Consumer<String> progress;
  private final AtomicInteger runs = new AtomicInteger();

  /**
   * @param seed of the first cell's writes; each later one has the next
   * @param within how long a request may take while no more is faulty than is promised to be survived
   */
  public FaultsRun(FaultCluster cluster, long seed, Duration within, Consumer<String> progress) {
    this.cluster = cluster;
    this.seed = seed;
    this.within = within;
    this.progress = progress;
  }

  /** Runs cells for a target, up to the first that cannot be run. */
  public Result run(Target target, List<Cell> cells) {
    List<Verdict> verdicts = new ArrayList<>();
    for (Cell cell : cells) {
      try {
        verdicts.add(one(target, cell));
      } catch (Exception failed) {
        if (failed instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        progress.accept("  " + target.label() + ": " + cell + ": NOT RUN: " + failed);
        return new Result(target.label(), cells, verdicts, String.valueOf(failed.getMessage()));
      }
    }
    return new Result(target.label(), cells, verdicts, "");
  }

  /** Runs each cell by itself, several at once where they do not touch; results in the order of the cells. */
  public List<Result> each(Target target, List<Cell> cells) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
    List<Future<Result>> alone = cells.stream().filter(Cell::alone).map(c -> threads.submit(() -> run(target, List.of(c)))).toList();
    List<Result> results = new ArrayList<>();
    try {
      for (Future<Result> f : alone) {
        results.add(f.get());
      }
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a cell ended with a bug", bug.getCause());
    } finally {
      threads.shutdownNow();
    }
    List<Result> others = cells.stream().filter(c -> !c.alone()).map(c -> run(target, List.of(c))).toList();
    List<Result> all = new ArrayList<>();
    for (Cell c : cells) {
      all.add((c.alone() ? results : others).stream().filter(r -> r.cells().get(0) == c).findFirst().orElseThrow());
    }
    return all;
  }

  private Verdict one(Target target, Cell cell) throws Exception {
    int number = runs.getAndIncrement();
    String name = target.label().toLowerCase(Locale.ROOT) + "-" + number;
    Verdict v = new CellRun(cluster, target, cell, name, seed + number, new CellRun.Patience(within, BEYOND)).run();
    progress.accept("  " + target.label() + ": " + cell + ": " + v);
    return v;
  }
}
