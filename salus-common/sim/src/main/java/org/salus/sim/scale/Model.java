package org.salus.sim.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import org.salus.sim.Clock;
import org.salus.sim.scale.Costs.Cost;

/** A system at work in virtual time. */
abstract class Model {
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SEED = 42;
  private static final int PARTS = 200;

  final ScaleScenario scenario;
  final Costs costs;
  final Clock clock = new Clock();
  private final List<Machine> servers = new ArrayList<>();
  private final List<Machine> clients = new ArrayList<>();
  final Part client = new Part();
  final Part server = new Part();
  final Part dataNode = new Part();
  private final long all;
  private long begun;
  private long done;
  private long quarter;
  private long threeQuarters;

  /** Sums up the work of the parts of one kind. */
  static final class Part {
    private Tally tally = new Tally(0, 0);

    /** Counts some work and returns the processor time that it takes, in nanoseconds. */
    long nanos(Cost cost, long calls, long blocks) {
      tally = tally.plus(calls, blocks);
      return cost.nanos(calls, blocks);
    }

    private void reset() {
      tally = new Tally(0, 0);
    }
  }

  Model(ScaleScenario scenario, Costs costs) {
    this.scenario = scenario;
    this.costs = costs;
    this.all = (long) scenario.clients() * scenario.blocks();
    Machine one = new Machine(clock, scenario.hardware());
    for (int i = 0; i < scenario.servers(); i++) {
      servers.add(scenario.oneMachine() ? one : new Machine(clock, scenario.hardware()));
    }
    for (int i = 0; i < scenario.clients(); i++) {
      clients.add(scenario.oneMachine() ? one : new Machine(clock, scenario.hardware()));
    }
  }

  Machine serverMachine(int i) {
    return servers.get(i);
  }

  Machine clientMachine(int i) {
    return clients.get(i);
  }

  /** The blocks of a client in the order in which it writes them. */
  final int[] order(int ofClient) {
    int[] order = new int[scenario.blocks()];
    Random random = new Random(SEED + ofClient);
    for (int i = 0; i < order.length; i++) {
      int other = scenario.random() ? random.nextInt(i + 1) : i;
      order[i] = order[other];
      order[other] = i;
    }
    return order;
  }

  /** Has a DataNode store a block's replica, and calls back when its disk has it. */
  final void append(int at, long bytes, long blocks, Runnable then) {
    Machine machine = serverMachine(at);
    machine.compute(dataNode.nanos(costs.dataNode(), 1, blocks), () -> machine.store(bytes, then));
  }

  /** Counts a client's acknowledged blocks. */
  final void done(long blocks) {
    long before = done;
    done += blocks;
    if (before < all / 4 && done >= all / 4) {
      quarter = clock.now();
    }
    if (before < 3 * all / 4 && done >= 3 * all / 4) {
      threeQuarters = clock.now();
    }
  }

  /** Starts the measurement when the clients begin. Work before that does not count. */
  final void begun() {
    begun = clock.now();
    List.of(client, server, dataNode).forEach(Part::reset);
  }

  /** Makes the clients begin. */
  abstract void begin();

  private static double rate(double blocks, long from, long to) {
    return blocks * ScaleScenario.BLOCK / ((to - from) / NANOS);
  }

  final Outcome run() {
    begin();
    runUntil(all);
    return new Outcome(
        rate(all, begun, clock.now()), steady(), client.tally, server.tally, dataNode.tally);
  }

  /**
   * Measures only {@link Outcome#steadyRate}, with no more work than that takes. It often reports
   * the share that is done.
   */
  final double steadyRate(DoubleConsumer progress) {
    begin();
    long end = 3 * all / 4;
    for (int part = 1; part <= PARTS; part++) {
      runUntil(end * part / PARTS);
      progress.accept((double) part / PARTS);
    }
    return steady();
  }

  private double steady() {
    return rate(all / 2.0, quarter, threeQuarters);
  }

  private void runUntil(long blocks) {
    while (done < blocks) {
      if (!clock.step()) {
        throw new IllegalStateException(
            all - done + " of " + all + " blocks were never acknowledged");
      }
    }
  }
}
