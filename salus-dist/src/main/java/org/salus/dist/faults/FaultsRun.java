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
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Runs cells one after the other on one cluster, each on a store of its own, and tells how it goes. */
public final class FaultsRun {
  private static final Duration BEYOND = Duration.ofSeconds(8);

  private final FaultCluster cluster;
  private final long seed;
  private final Duration within;
  private final int atOnce;
  private final Consumer<String> progress;
  private final AtomicInteger runs = new AtomicInteger();

  /**
   * @param seed of the first cell's writes; each later one has the next
   * @param within how long a request may take while no more is faulty than is promised to be survived
   * @param atOnce how many cells that do not touch go side by side
   */
  public FaultsRun(FaultCluster cluster, long seed, Duration within, int atOnce, Consumer<String> progress) {
    this.cluster = cluster;
    this.seed = seed;
    this.within = within;
    this.atOnce = atOnce;
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

  /** Runs each cell by itself, several at once where they do not touch; {@code done} is told one at a time. */
  public void each(Target target, List<Cell> cells, BiConsumer<Cell, Result> done) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<?>> alone = new ArrayList<>();
      cells.stream().filter(Cell::alone).forEach(c -> alone.add(threads.submit(() -> tell(done, c, run(target, List.of(c))))));
      for (Future<?> f : alone) {
        f.get();
      }
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a cell ended with a bug", bug.getCause());
    } finally {
      threads.shutdownNow();
    }
    cells.stream().filter(c -> !c.alone()).forEach(c -> tell(done, c, run(target, List.of(c))));
  }

  private synchronized void tell(BiConsumer<Cell, Result> done, Cell cell, Result result) {
    done.accept(cell, result);
  }

  private Verdict one(Target target, Cell cell) throws Exception {
    int number = runs.getAndIncrement();
    String name = target.label().toLowerCase(Locale.ROOT) + "-" + number;
    Verdict v = new CellRun(cluster, target, cell, name, seed + number, new CellRun.Patience(within, BEYOND)).run();
    progress.accept("  " + target.label() + ": " + cell + ": " + v);
    return v;
  }
}
