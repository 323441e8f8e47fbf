package org.salus.benchmarks.faults;

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
import org.salus.benchmarks.faults.history.Verdict;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.Target;

/** Runs cells on one cluster, each on a store of its own, and reports every verdict. */
public final class FaultsRun {
  private static final Duration BEYOND = Duration.ofSeconds(8);
  private static final int TRIES = 3;

  private final FaultCluster cluster;
  private final long seed;
  private final Duration within;
  private final int atOnce;
  private final Consumer<String> progress;
  private final AtomicInteger runs = new AtomicInteger();

  /**
   * @param seed of the first cell's writes; each later cell has the next seed
   * @param within how long a request may take while no more is faulty than is promised to be
   *     survived
   * @param atOnce how many cells run side by side, of those that touch no other store
   */
  public FaultsRun(
      FaultCluster cluster, long seed, Duration within, int atOnce, Consumer<String> progress) {
    this.cluster = cluster;
    this.seed = seed;
    this.within = within;
    this.atOnce = atOnce;
    this.progress = progress;
  }

  /** Runs cells for a target, up to the first that cannot be run. */
  public CellResult run(Target target, List<Cell> cells) {
    List<Verdict> verdicts = new ArrayList<>();
    for (Cell cell : cells) {
      try {
        verdicts.add(one(target, cell));
      } catch (Exception failed) {
        if (failed instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        progress.accept("  " + target.label() + ": " + cell + ": NOT RUN: " + failed);
        return new CellResult(target.label(), cells, verdicts, String.valueOf(failed.getMessage()));
      }
    }
    return new CellResult(target.label(), cells, verdicts, "");
  }

  /** A cell to be run for a target. */
  public record Task(Target target, Cell cell) {}

  /**
   * Runs the cells that touch no other store first, several at once, and then the others one by
   * one. Calls of {@code done} never overlap.
   */
  public void each(List<Task> tasks, BiConsumer<Task, CellResult> done)
      throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<?>> alone = new ArrayList<>();
      tasks.stream()
          .filter(FaultsRun::isAlone)
          .forEach(
              t -> alone.add(threads.submit(() -> tell(done, t, run(t.target, List.of(t.cell))))));
      for (Future<?> f : alone) {
        f.get();
      }
    } catch (ExecutionException bug) {
      throw new IllegalStateException("a cell ended with a bug", bug.getCause());
    } finally {
      threads.shutdownNow();
    }
    tasks.stream()
        .filter(t -> !isAlone(t))
        .forEach(t -> tell(done, t, run(t.target, List.of(t.cell))));
  }

  private static boolean isAlone(Task task) {
    return task.cell.isAlone(task.target);
  }

  private synchronized void tell(BiConsumer<Task, CellResult> done, Task task, CellResult result) {
    done.accept(task, result);
  }

  private Verdict one(Target target, Cell cell) throws Exception {
    for (int tries = 1; ; tries++) {
      try {
        return once(target, cell);
      } catch (CellRun.NoOccasionException unlucky) {
        if (tries == TRIES) {
          throw unlucky;
        }
      }
    }
  }

  private Verdict once(Target target, Cell cell) throws Exception {
    int number = runs.getAndIncrement();
    String name = target.label().toLowerCase(Locale.ROOT) + "-" + number;
    Verdict v =
        new CellRun(
                cluster, target, cell, name, seed + number, new CellRun.Patience(within, BEYOND))
            .run();
    progress.accept("  " + target.label() + ": " + cell + ": " + v);
    return v;
  }
}
