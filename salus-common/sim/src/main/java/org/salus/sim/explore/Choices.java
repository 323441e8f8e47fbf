package org.salus.sim.explore;

import java.util.Arrays;
import java.util.Set;
import org.salus.core.message.Message;
import org.salus.core.message.Message.Vote;
import org.salus.sim.explore.Scenario.ExploredFault;
import org.salus.sim.explore.automaton.Parcel;

/**
 * The choices in a world: what may happen next, and how it happens. A choice packs a kind and two
 * small numbers into one number.
 */
final class Choices {

  /** The kinds of choice. The first few are the world's course; the others are faults. */
  enum Kind {
    DELIVER,
    APPEND,
    OP,
    KEEP,
    DROP,
    DOUBLE,
    DELAY,
    ALTER,
    REFUSE,
    TICK,
    CRASH,
    CLIENT,
    TAKEOVER,
    REPLACE,
    PAUSE,
    POWER,
    LOSE_SERVERS,
    FORGE,
    JOIN
  }

  private static final Kind[] KINDS = Kind.values();

  /** The network's faults among the kinds of choice. */
  private static final ExploredFault[] OF_FLIGHTS = {
    ExploredFault.DROP,
    ExploredFault.DOUBLE,
    ExploredFault.DELAY,
    ExploredFault.ALTER,
    ExploredFault.REFUSE
  };

  private final ExploredCluster cluster;
  private final Steps steps;
  private final Set<ExploredFault> faults;
  private final FaultSteps happen;
  private int[] found = new int[64];
  private int count;

  Choices(ExploredCluster cluster, Steps steps) {
    this.cluster = cluster;
    this.steps = steps;
    this.faults = cluster.scenario.faults();
    this.happen = new FaultSteps(cluster, steps);
  }

  static int choice(Kind kind, int what, int which) {
    return kind.ordinal() << 24 | what << 8 | which;
  }

  static Kind kind(int choice) {
    return KINDS[choice >>> 24];
  }

  /** The number of the flight, member, region, node or session that a choice is about. */
  static int what(int choice) {
    return choice >>> 8 & 0xffff;
  }

  static int which(int choice) {
    return choice & 0xff;
  }

  static boolean isFault(int choice) {
    return kind(choice).ordinal() >= Kind.DROP.ordinal();
  }

  private void add(Kind kind, int what, int which) {
    if (count == found.length) {
      found = Arrays.copyOf(found, 2 * count);
    }
    found[count++] = choice(kind, what, which);
  }

  /** All choices of a world. Their order is a function of the world. */
  int[] of(World w) {
    count = 0;
    course(w);
    if (w.faults > 0) {
      flightFaults(w);
      serverFaults(w);
      clientFaults(w);
    }
    return Arrays.copyOf(found, count);
  }

  private void course(World w) {
    for (int i = 0; i < w.flights.length; i += World.FLIGHT) {
      if (steps.isNext(w, i)) {
        add(Kind.DELIVER, i, 0);
      }
    }
    for (int m = 0; m < w.homes.length; m++) {
      if (w.appends[m].length > 0) {
        add(Kind.APPEND, m, 0);
      }
      for (int i = 0; i < w.ops[m].length; i++) {
        add(Kind.OP, m, i);
      }
    }
    for (int r = 0; r < w.regions; r++) {
      if (steps.master.hasWork(w, r)) {
        add(Kind.KEEP, r, 0);
      }
    }
  }

  private void flightFaults(World w) {
    for (int i = 0; i < w.flights.length; i += World.FLIGHT) {
      boolean told = w.flights[i] == w.master();
      if (!told && steps.isNext(w, i)) {
        for (ExploredFault f : OF_FLIGHTS) {
          if (faults.contains(f) && applies(f, (Parcel) cluster.catalog.thing(w.flights[i + 2]))) {
            add(Kind.valueOf(f.name()), i, 0);
          }
        }
      }
    }
  }

  private static boolean applies(ExploredFault f, Parcel p) {
    return switch (f) {
      case ALTER ->
          p.payload() != null
              && !(p.message()
                  instanceof Message.GetReply); // an altered answer is reported, and rightly so
      case REFUSE -> p.message() instanceof Vote v && v.no() == null;
      default -> true;
    };
  }

  private void serverFaults(World w) {
    for (int a = 0; a < w.actors.length; a++) {
      if (w.isAlive(a) && faults.contains(ExploredFault.TICK)) {
        add(Kind.TICK, a, 0);
      }
    }
    if (faults.contains(ExploredFault.JOIN) && steps.master.mayJoin(w)) {
      add(Kind.JOIN, 0, 0);
    }
    for (int n = 0; n < w.nodes && faults.contains(ExploredFault.CRASH); n++) {
      boolean busy = isBusy(w, n);
      for (int part = 0;
          isHome(w, n) && part < (busy ? ExploredDataNodes.Part.values().length : 1);
          part++) {
        add(Kind.CRASH, n, part);
      }
    }
    for (int r = 0; r < w.regions; r++) {
      if (faults.contains(ExploredFault.REPLACE)) {
        add(Kind.REPLACE, r, 0);
      }
      for (int place = 0; place < w.members(r) && faults.contains(ExploredFault.PAUSE); place++) {
        if (w.isAlive(w.actor(r, place))
            && (steps.master.holders(w, r) & w.up & ~(1 << w.homes[w.actor(r, place)])) != 0) {
          add(Kind.PAUSE, r, place);
        }
      }
    }
    for (int r = 0; r < w.regions && faults.contains(ExploredFault.LOSE_SERVERS); r++) {
      for (int how = 0; how <= FaultSteps.ONE_STORE + w.members(r); how++) {
        if (w.members(r) > 1 || how != FaultSteps.ONE_STORE) { // the only copy is kept
          add(Kind.LOSE_SERVERS, r, how);
        }
      }
    }
    for (int r = 0; r < w.regions && faults.contains(ExploredFault.FORGE); r++) {
      for (int how = 0; how < FaultSteps.Forgery.values().length; how++) {
        add(Kind.FORGE, r, how);
      }
    }
    for (int losing = 0; losing < 1 << w.nodes && faults.contains(ExploredFault.POWER); losing++) {
      add(Kind.POWER, 0, losing);
    }
  }

  private void clientFaults(World w) {
    int s = w.session(w.mounts);
    if (w.isAlive(s) && faults.contains(ExploredFault.CLIENT)) {
      add(Kind.CLIENT, s, 0);
    }
    if (faults.contains(ExploredFault.TAKEOVER)) {
      add(Kind.TAKEOVER, 0, 0);
    }
  }

  private static boolean isHome(World w, int node) {
    for (int m = 0; m < w.homes.length; m++) {
      if (w.homes[m] == node && w.isAlive(m)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isBusy(World w, int node) {
    for (int m = 0; m < w.homes.length; m++) {
      if (w.homes[m] == node && w.isAlive(m) && w.appends[m].length > 0) {
        return true;
      }
    }
    return false;
  }

  /** The world after a choice. */
  World take(World before, int choice) {
    World w = before.copy();
    int what = what(choice);
    switch (kind(choice)) {
      case DELIVER -> steps.deliver(w, what);
      case APPEND -> steps.append(w, what);
      case OP -> steps.op(w, what, which(choice));
      case KEEP -> steps.master.keep(w, what);
      default -> {
        w.faults--;
        happen.apply(w, kind(choice), what, which(choice));
      }
    }
    return w;
  }
}
