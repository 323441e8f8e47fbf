package org.salus.sim.explore;

import java.nio.ByteBuffer;
import org.salus.core.Refusal;
import org.salus.core.message.Message.Vote;
import org.salus.core.replacement.Cause;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord;
import org.salus.core.replacement.Succession.Waiver;
import org.salus.sim.explore.automaton.Automaton;
import org.salus.sim.explore.automaton.KeeperAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.store.WrongRecords;

/** The effect of each kind of {@link Scenario.ExploredFault} on a world. */
final class FaultSteps {
  /**
   * From here on, the ways to lose servers leave the DataNode of one, which loses what it has not
   * synced. The last way leaves none.
   */
  static final int ONE_STORE = ExploredDataNodes.Part.values().length;

  /** The wrong records of a region that a wrong server writes. */
  enum Forgery {
    /** An epoch of that server alone. */
    ALONE,
    /** The same epoch, or the next, with that server as M0. */
    OTHER_NOW,
    OTHER_NEXT,
    /** The epoch has not served. */
    UNSERVED,
    /** No record. */
    NONE
  }

  private final ExploredCluster cluster;
  private final Steps steps;

  FaultSteps(ExploredCluster cluster, Steps steps) {
    this.cluster = cluster;
    this.steps = steps;
  }

  /** Applies a fault to the given world, which it changes. */
  void apply(World w, Choices.Kind kind, int what, int which) {
    switch (kind) {
      case DROP -> w.flights = World.minus(w.flights, what, World.FLIGHT);
      case DOUBLE -> stray(w, what, w.flights[what + 2]);
      case DELAY -> {
        stray(w, what, w.flights[what + 2]);
        w.flights = World.minus(w.flights, what, World.FLIGHT); // strays stand behind all others
      }
      case ALTER -> w.flights = World.with(w.flights, what + 2, altered(w.flights[what + 2]));
      case REFUSE -> w.flights = World.with(w.flights, what + 2, refused(w.flights[what + 2]));
      case TICK -> steps.run(w, what, cluster.catalog.number(new Automaton.Tick()));
      case JOIN -> steps.master.pass(w, new KeeperAutomaton.MayJoin());
      case CRASH -> crash(w, what, ExploredDataNodes.Part.values()[which]);
      case CLIENT -> {
        steps.kill(w, what);
        steps.master.mount(w);
      }
      case TAKEOVER -> steps.master.mount(w);
      case REPLACE -> {
        steps.master.breaks(w, what, Cause.FAILED, "", "without need");
        steps.master.keep(w, what);
      }
      case PAUSE -> pause(w, what, which);
      case POWER -> power(w, which);
      case LOSE_SERVERS -> loseServers(w, what, which);
      case FORGE -> forge(w, what, Forgery.values()[which]);
      default -> throw new IllegalStateException(kind + " is no fault");
    }
  }

  // ---- messages ----

  private void stray(World w, int flight, int parcel) {
    int from = w.flights[flight] | World.STRAY;
    steps.post(w, from, w.flights[flight + 1], parcel);
  }

  private int altered(int parcel) {
    Parcel p = (Parcel) cluster.catalog.thing(parcel);
    ByteBuffer b = ByteBuffer.allocate(p.payload().remaining()).put(p.payload().duplicate()).flip();
    b.put(b.limit() / 2, (byte) (b.get(b.limit() / 2) ^ 1));
    return cluster.catalog.number(new Parcel(p.from(), p.to(), p.message(), b));
  }

  private int refused(int parcel) {
    Parcel p = (Parcel) cluster.catalog.thing(parcel);
    Vote no = ((Vote) p.message()).refusing(Refusal.DAMAGED);
    return cluster.catalog.number(
        new Parcel(p.from(), p.to(), no.sign(cluster.spec.id(), cluster.signer), null));
  }

  // ---- servers ----

  private void crash(World w, int node, ExploredDataNodes.Part part) {
    w.up &= ~(1 << node);
    w.stores &= ~(1 << node);
    for (int m = 0; m < w.homes.length; m++) {
      if (w.homes[m] == node && w.isAlive(m)) {
        lastWords(w, m, part);
        steps.kill(w, m);
      }
    }
  }

  /**
   * Decides the appends under way of a member that dies: none reaches the disk, or all do, or the
   * first one does, torn.
   */
  private void lastWords(World w, int member, ExploredDataNodes.Part part) {
    if (part != ExploredDataNodes.Part.NONE && !steps.nameNode.isFenced(w, member)) {
      for (int append : w.appends[member]) {
        steps.write(w, member, append, part);
        if (part == ExploredDataNodes.Part.TORN) {
          return;
        }
      }
    }
  }

  /**
   * The server counts as dead. Its member goes on with what it has and with what was on its way to
   * it, and hears nothing else.
   */
  private void pause(World w, int region, int place) {
    int m = w.actor(region, place);
    int unaware = w.actor(region, World.UNAWARE);
    w.actors = World.with(w.actors, unaware, w.actors[m]);
    w.homes = World.with(w.homes, unaware, w.homes[m]);
    w.seats = World.with(w.seats, unaware, w.seats[m]);
    w.appends = World.with(w.appends, unaware, w.appends[m]);
    w.ops = World.with(w.ops, unaware, w.ops[m]);
    int[] f = w.flights.clone();
    for (int i = 0; i < f.length; i += World.FLIGHT) {
      if (steps.target(w, f[i + 1]) == m) {
        f[i + 1] = unaware;
      }
      f[i] = f[i] == m ? unaware : f[i];
    }
    w.flights = f;
    w.up &= ~(1 << w.homes[m]);
    steps.master.keep(w, region);
  }

  /** All servers of a region die for good. Their DataNodes go on, or come back in the end. */
  private void loseServers(World w, int region, int how) {
    int lost = 0;
    int kept = 0;
    for (int place = 0; place < w.members(region); place++) {
      int m = w.actor(region, place);
      lost |= 1 << w.homes[m];
      kept |= how < ONE_STORE || how - ONE_STORE == place ? 1 << w.homes[m] : 0;
      lastWords(w, m, ExploredDataNodes.Part.values()[how % ONE_STORE]);
      steps.kill(w, m);
    }
    w.up &= ~lost;
    w.stores &= ~lost | kept;
    w.away = lost & ~kept;
    if (how >= ONE_STORE) {
      cut(w, region, kept);
    }
  }

  private void cut(World w, int region, int nodes) {
    for (int n : ExploredCluster.nodes(nodes)) {
      w.setDisk(region, n, cluster.catalog.number(cluster.disks.disk(w.disk(region, n)).cut()));
    }
  }

  /** The last server of the world, which is a spare, is wrong. */
  private void forge(World w, int region, Forgery how) {
    RrsRecord now = steps.master.record(w, region);
    EpochLink served = steps.nameNode.register(w, region).served();
    WrongRecords wrong = new WrongRecords(now, served, steps.master.server(w, w.nodes - 1));
    steps.master.write(
        w,
        region,
        switch (how) {
          case ALONE -> wrong.alone();
          case OTHER_NOW -> wrong.withOther(0, 0, Waiver.TIME_IS_OVER);
          case OTHER_NEXT -> wrong.withOther(0, 1, Waiver.TIME_IS_OVER);
          case UNSERVED -> wrong.opening(now.link());
          case NONE -> null;
        });
    steps.master.follow(w, region);
  }

  /**
   * @param losing the set of nodes that lose what they have not synced
   */
  private void power(World w, int losing) {
    for (int a = 0; a < w.actors.length; a++) {
      if (w.isAlive(a)) {
        if (a < w.homes.length) {
          lastWords(w, a, ExploredDataNodes.Part.TORN);
        }
        steps.kill(w, a);
      }
    }
    w.flights = new int[0];
    w.cuts++;
    cluster.tell(w, new Note.PowerCut());
    ExploredMaster.restart(w, w.up);
    for (int r = 0; r < w.regions; r++) {
      cut(w, r, losing);
      steps.master.keep(w, r);
    }
    cluster.disks.changed(w);
    steps.master.mount(w);
  }
}
