package org.salus.benchmarks.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.salus.benchmarks.faults.history.BlockStore;
import org.salus.benchmarks.faults.history.HistoryWriter;
import org.salus.benchmarks.faults.history.Reading;
import org.salus.benchmarks.faults.history.Verdict;
import org.salus.benchmarks.faults.history.WriteHistory;
import org.salus.benchmarks.faults.history.WriteSequence;
import org.salus.benchmarks.faults.store.FaultCluster;
import org.salus.benchmarks.faults.store.Target;
import org.salus.dist.hbase.Daemon;

/**
 * Runs one cell on a fresh store. It writes until some blocks are in checkpoints, does the fault,
 * writes more and reads. Then a client that knows nothing reads what is left, which gives the
 * verdict.
 */
final class CellRun {
  private static final int BLOCKS = 256;
  private static final int BEFORE = 320;
  private static final int IN_LOG = 40;
  private static final int DURING = 120;
  private static final int TO_FLUSH = 260;
  private static final int PROBE = 8;
  private static final int CRASH_AFTER = 300;
  private static final long STANDSTILL_MILLIS = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /**
   * None of the cell's faults was done. Whether there is an occasion for a fault is chance: its
   * server may have been replaced before, or its log may just have been flushed.
   */
  static final class NoOccasionException extends IOException {
    private static final long serialVersionUID = 1;

    NoOccasionException(String why) {
      super(why);
    }
  }

  /**
   * How long a request may take while the promise holds, and when more is faulty than it covers.
   */
  record Patience(Duration within, Duration beyond) {}

  private final FaultCluster cluster;
  private final Target target;
  private final Cell cell;
  private final String name;
  private final Duration patience;
  private final WriteHistory history;
  private final List<Verdict.GetVerdict> gets = new ArrayList<>();
  private String note = "";
  private long struck;

  CellRun(
      FaultCluster cluster, Target target, Cell cell, String name, long seed, Patience patience) {
    this.cluster = cluster;
    this.target = target;
    this.cell = cell;
    this.name = name;
    this.patience = patience(cell, patience, target.recovery());
    this.history = new WriteHistory(new WriteSequence(seed, BLOCKS));
  }

  private static Duration patience(Cell cell, Patience asked, Duration recovery) {
    if (cell.faulty() == 0) {
      return PATIENCE; // all processes are started again, which takes as long as processes need
    }
    Duration some = cell.beyondPromise() ? asked.beyond() : asked.within();
    return some.compareTo(recovery) > 0 ? some : recovery;
  }

  /**
   * Runs the cell. The cluster is whole again afterwards.
   *
   * @throws IOException if the cell could not be run; that is no verdict
   */
  Verdict run() throws Exception {
    target.create(name, BLOCKS);
    try {
      Verdict verdict = cell.phase() == CellPhase.CLIENT_CRASH ? crash() : live();
      if (!cluster.switches().wasDone(name)) {
        throw new NoOccasionException(
            "the fault was switched on, but there was no occasion for it");
      }
      return verdict;
    } finally {
      cluster.switches().clear(name);
      if (!cell.isAlone(target)) {
        cluster.heal();
      }
      delete();
    }
  }

  /** Removes the store. If that fails, it stays: the next cell has a store of its own. */
  private void delete() {
    try {
      target.delete(name);
    } catch (IOException | RuntimeException broken) {
      remark("it cannot be removed: " + broken.getMessage());
    }
  }

  private void fill(BlockStore store) throws Exception {
    HistoryWriter writer = new HistoryWriter(store, history);
    boolean ok = writer.write(BEFORE, PATIENCE);
    target.settle(name);
    ok &= writer.write(IN_LOG, PATIENCE);
    if (!ok) {
      throw new IOException("writes fail before there is a fault");
    }
  }

  private void strike(List<String> nodes) throws Exception {
    cell.fault().run(scene(nodes));
    struck = System.nanoTime();
  }

  private Scene scene(List<String> nodes) {
    return new Scene(cluster, target, name, nodes);
  }

  private Verdict live() throws Exception {
    BlockStore store = target.open(name, PATIENCE);
    try {
      fill(store);
    } finally {
      store.close();
    }
    List<String> nodes = target.nodes(name);
    if (cell.phase() == CellPhase.MOUNT) {
      strike(nodes);
    }
    long millis = -1;
    try (BlockStore again = target.open(name, patience)) {
      millis = under(again, nodes);
    } catch (IOException | RuntimeException refused) {
      if (cell.phase() != CellPhase.MOUNT) {
        throw refused;
      }
      refused(refused);
    }
    return verdict(millis);
  }

  /**
   * Does the fault while a client has the store open. Returns the milliseconds from the fault to
   * the next acknowledged writes, or -1 if they were not acknowledged in time.
   */
  private long under(BlockStore store, List<String> nodes) throws Exception {
    HistoryWriter writer = new HistoryWriter(store, history);
    boolean acknowledged =
        switch (cell.phase()) {
          case WRITE -> {
            writer.issue(DURING / 2, patience);
            strike(nodes);
            writer.issue(DURING / 2, left());
            yield writer.await(left());
          }
          case READ -> {
            strike(nodes);
            read(store);
            yield true;
          }
          case FLUSH -> {
            strike(nodes);
            boolean all = writer.write(TO_FLUSH, left());
            target.settle(name);
            yield all;
          }
          case RECOVERY -> {
            strike(nodes);
            boolean all = writer.write(DURING / 2, left());
            target.renew(name);
            yield all;
          }
          case RIGHT_ONES_AWAY -> {
            strike(nodes);
            boolean all = writer.write(DURING / 2, left());
            scene(nodes).sendAway(cell.faulty());
            yield all;
          }
          case MOUNT, CLIENT_CRASH -> true;
        };
    acknowledged = acknowledged && writer.write(PROBE, left());
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - struck);
    read(store);
    read(store);
    return acknowledged ? millis : -1;
  }

  /** What is left of the time in which writes must be acknowledged. */
  private Duration left() {
    Duration left = patience.minusNanos(System.nanoTime() - struck);
    return left.isNegative() ? Duration.ZERO : left;
  }

  private void read(BlockStore store) throws InterruptedException {
    Reading r = Reading.of(store, history.workload(), patience);
    gets.add(r.get(history));
    remark(r.why());
  }

  private void remark(String what) {
    if (!what.isEmpty()) {
      note = what.lines().findFirst().orElse(what);
    }
  }

  private void refused(Exception why) {
    gets.add(Verdict.GetVerdict.REFUSED);
    remark(String.valueOf(why.getMessage()));
  }

  /** Opens the store with a client that knows nothing, and judges what it reads. */
  private Verdict verdict(long millis) throws InterruptedException {
    Verdict.PutVerdict put = Verdict.PutVerdict.REFUSED;
    try (BlockStore anew = target.open(name, patience)) {
      Reading r = Reading.of(anew, history.workload(), patience);
      remark(r.why());
      put = r.seen().isEmpty() ? Verdict.PutVerdict.REFUSED : history.state(r.seen());
      if (put == Verdict.PutVerdict.ORDERED && r.refused() > 0) {
        gets.add(Verdict.GetVerdict.SOME_REFUSED);
      }
    } catch (IOException | RuntimeException why) {
      remark(String.valueOf(why.getMessage()));
    }
    Verdict.GetVerdict get =
        gets.stream().max(Comparator.naturalOrder()).orElse(Verdict.GetVerdict.FRESH);
    return new Verdict(get, put, millis, note);
  }

  // ---- the client is killed ----

  private Verdict crash() throws Exception {
    try (BlockStore store = target.open(name, PATIENCE)) {
      fill(store);
    }
    List<String> nodes = target.nodes(name);
    try (ClientProcess client = ClientProcess.start(target.arguments(), name, history)) {
      client.awaitAcked(CRASH_AFTER, PATIENCE);
      strike(nodes);
      // One server stands still for a moment, while the others go on: it is behind them when the
      // client is killed.
      cluster.stop(Daemon.REGIONSERVER, FaultCluster.number(nodes.get(nodes.size() - 1)));
      TimeUnit.MILLISECONDS.sleep(STANDSTILL_MILLIS);
      client.kill();
      cluster.resume();
    }
    if (cell.faulty() > 0) {
      for (String node : nodes.subList(0, Math.min(cell.faulty(), nodes.size()))) {
        cluster.kill(Daemon.REGIONSERVER, FaultCluster.number(node));
      }
    }
    Verdict found = verdict(-1);
    long again = System.nanoTime();
    try (BlockStore store = target.open(name, patience)) {
      boolean acknowledged =
          new HistoryWriter(
                  store, new WriteHistory(new WriteSequence(history.workload().seed() + 1, BLOCKS)))
              .write(PROBE, patience);
      return new Verdict(
          found.get(),
          found.put(),
          acknowledged ? TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - again) : -1,
          found.note());
    } catch (IOException | RuntimeException why) {
      remark(String.valueOf(why.getMessage()));
      return new Verdict(found.get(), found.put(), -1, note);
    }
  }
}
