package org.salus.sim.explore;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.Send;
import org.salus.core.effect.SessionEffect;
import org.salus.core.effect.Stalled;
import org.salus.core.message.Message;
import org.salus.core.replacement.Cause;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.automaton.Automaton;
import org.salus.sim.explore.automaton.Catalog;
import org.salus.sim.explore.automaton.MemberAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;

/**
 * The steps of a world: messages arrive and effects complete. Methods change the worlds that they
 * are given, so callers copy.
 */
final class Steps {
  private final ExploredCluster cluster;
  private final Catalog catalog;
  final ExploredMaster master;
  final ExploredNameNode nameNode;

  Steps(ExploredCluster cluster) {
    this.cluster = cluster;
    this.catalog = cluster.catalog;
    this.master = new ExploredMaster(cluster, this);
    this.nameNode = new ExploredNameNode(cluster);
  }

  /** Gives an actor an event. */
  void run(World w, int actor, int event) {
    Catalog.Transition t = catalog.step(w.actors[actor], event);
    if (t.broken() != null) {
      throw t.broken();
    }
    w.actors = World.with(w.actors, actor, t.state());
    for (int out : t.outs()) {
      perform(w, actor, out);
    }
  }

  private void run(World w, int actor, Object event) {
    run(w, actor, catalog.number(event));
  }

  private void perform(World w, int actor, int thing) {
    Object x = catalog.thing(thing);
    if (x instanceof Parcel p) {
      send(w, actor, p, thing);
    } else if (x instanceof Note) {
      cluster.tell(w, thing);
    } else if (x instanceof Automaton.Over) {
      kill(w, actor);
    } else if (x instanceof SessionEffect.LookUp l) {
      master.notify(w, w.mount(actor), l.region());
    } else if (x instanceof SessionEffect.WentBack b) {
      if (w.cuts == 0 || cluster.spec.synced()) {
        throw new Violation(
            "P3 prefix",
            "without a power cut a mount goes back from " + b.acked() + " to " + b.prefix());
      }
    } else if (x instanceof Stalled s && w.isSession(actor)) {
      complain(w, s);
    } else if (x instanceof MemberEffect e) {
      e.performBy(new Asked(w, actor, thing));
    } else {
      throw new IllegalStateException("nobody performs " + x);
    }
  }

  /** Somebody says that nothing comes through a member. So it is while data is out of reach. */
  private void complain(World w, Stalled s) {
    if (w.away == 0) {
      throw new Violation(
          "P7 liveness", "with no faulty member nothing comes through one: " + s.what());
    }
    if (s.epoch() == w.epoch[s.region()]) {
      List<String> members = master.link(w, s.region()).nodes();
      String accused = members.get(Lanes.member(s.lane(), members.size()));
      master.breaks(w, s.region(), Cause.STALLED, accused, s.what());
    }
  }

  /**
   * Performs a member's effects. Some complete at once; the others are under way until {@link #op}
   * chooses them.
   */
  private final class Asked implements MemberEffect.Handler {
    private final World w;
    private final int actor;
    private final int thing;

    Asked(World w, int actor, int thing) {
      this.w = w;
      this.actor = actor;
      this.thing = thing;
    }

    private void underWay() {
      w.ops = World.with(w.ops, actor, sorted(World.plus(w.ops[actor], thing)));
    }

    @Override
    public void send(Send x) {
      throw new IllegalStateException("a machine puts out a parcel instead: " + x);
    }

    @Override
    public void append(MemberEffect.Append x) {
      w.appends = World.with(w.appends, actor, World.plus(w.appends[actor], thing));
    }

    @Override
    public void serving(MemberEffect.Serving x) {
      master.serves(w, actor);
    }

    @Override
    public void suspect(MemberEffect.Suspect x) {
      if (w.away == 0) {
        throw new Violation("P4 unanimity", "with no faulty member one is suspected: " + x.what());
      }
      master.breaks(w, actor, Cause.DIFFERED, x.place(), x.what());
    }

    @Override
    public void stalled(Stalled x) {
      complain(w, x);
    }

    @Override
    public void unable(MemberEffect.Unable x) {
      stop(w, actor, x.why());
    }

    @Override
    public void scanLog(MemberEffect.ScanLog x) {
      underWay();
    }

    @Override
    public void recoverSegments(MemberEffect.RecoverSegments x) {
      underWay();
    }

    @Override
    public void replayLog(MemberEffect.ReplayLog x) {
      underWay();
    }

    @Override
    public void createSegment(MemberEffect.CreateSegment x) {
      underWay();
    }

    @Override
    public void registerEpoch(MemberEffect.RegisterEpoch x) {
      run(w, actor, new MemberAutomaton.Registered(nameNode.register(w, actor, thing)));
    }

    @Override
    public void serveGet(MemberEffect.ServeGet x) {
      underWay();
    }

    @Override
    public void tidy(MemberEffect.Tidy x) {
      if (x.primary()) { // another member has no reader of a deleted file open here
        underWay();
      }
    }

    @Override
    public void createCheckpoint(MemberEffect.CreateCheckpoint x) {
      throw notFlushed(x);
    }

    @Override
    public void flush(MemberEffect.Flush x) {
      throw notFlushed(x);
    }

    @Override
    public void compact(MemberEffect.Compact x) {
      throw notFlushed(x);
    }

    @Override
    public void loadPages(MemberEffect.LoadPages x) {
      throw notFlushed(x);
    }

    @Override
    public void loadRoots(MemberEffect.LoadRoots x) {
      throw notFlushed(x);
    }
  }

  private static IllegalStateException notFlushed(Object x) {
    return new IllegalStateException("small worlds are not flushed: " + x);
  }

  /** Moves the last effect to its place in the order. */
  private int[] sorted(int[] ops) {
    for (int i = ops.length - 1; i > 0 && catalog.compare(ops[i - 1], ops[i]) > 0; i--) {
      int x = ops[i];
      ops[i] = ops[i - 1];
      ops[i - 1] = x;
    }
    return ops;
  }

  // ---- messages ----

  private void send(World w, int from, Parcel p, int parcel) {
    if (p.to() instanceof Endpoint.Session s) {
      post(w, from, w.session(s.mountEpoch()), parcel);
    } else if (p.message() instanceof Message.Acknowledged && !cluster.scenario.wordsTravel()) {
      tellAtOnce(w, target(w, to((Endpoint.Member) p.to())), parcel);
    } else if (p.to() instanceof Endpoint.Member m) {
      post(w, from, to(m), parcel);
    }
  }

  private int to(Endpoint.Member m) {
    return m.region().index() * World.SEATS + m.lane();
  }

  private void tellAtOnce(World w, int member, int parcel) {
    if (w.isAlive(member)) {
      run(w, member, parcel);
    }
  }

  /**
   * Sends a message; {@code to} is a session or a lane of a region. A message to a dead process is
   * dropped.
   */
  void post(World w, int from, int to, int parcel) {
    if (!w.isAlive(target(w, to))) {
      return;
    }
    int i = w.flights.length;
    while (i > 0 && compare(w, w.flights, i - World.FLIGHT, from, to, parcel) > 0) {
      i -= World.FLIGHT;
    }
    int[] f = new int[w.flights.length + World.FLIGHT];
    System.arraycopy(w.flights, 0, f, 0, i);
    f[i] = from;
    f[i + 1] = to;
    f[i + 2] = parcel;
    System.arraycopy(w.flights, i, f, i + World.FLIGHT, w.flights.length - i);
    w.flights = f;
  }

  /** Compares flights by connection, and by content only if their order does not matter. */
  private int compare(World w, int[] f, int i, int from, int to, int parcel) {
    int c = Integer.compare(f[i], from);
    c = c != 0 ? c : Integer.compare(target(w, f[i + 1]), target(w, to));
    boolean loose = !cluster.scenario.ordered() || from >= World.STRAY;
    c = c != 0 || !loose ? c : catalog.compare(f[i + 2], parcel);
    return c != 0 || !loose ? c : Integer.compare(f[i + 1], to);
  }

  /** Sorts the flights again after a change of members or sessions. */
  void sortFlights(World w) {
    int[] f = w.flights;
    int[] sorted =
        IntStream.range(0, f.length / World.FLIGHT)
            .boxed()
            .sorted(
                Comparator.comparingInt((Integer i) -> f[i * World.FLIGHT])
                    .thenComparingInt(i -> target(w, f[i * World.FLIGHT + 1])))
            .flatMapToInt(i -> Arrays.stream(f, i * World.FLIGHT, (i + 1) * World.FLIGHT))
            .toArray();
    w.flights = sorted;
  }

  /** The actor that gets what is sent to a lane of a region, or to a session. */
  int target(World w, int to) {
    if (w.isSession(to) || to % World.SEATS == World.UNAWARE) {
      return to;
    }
    int region = to / World.SEATS;
    return w.actor(region, Lanes.member(to % World.SEATS, Math.max(1, w.members(region))));
  }

  /**
   * Whether a message may arrive next: any may if there is no order, else only the first of its
   * connection.
   */
  boolean isNext(World w, int flight) {
    int[] f = w.flights;
    if (flight == 0) {
      return true;
    }
    int before = flight - World.FLIGHT;
    boolean same = f[before] == f[flight] && target(w, f[before + 1]) == target(w, f[flight + 1]);
    boolean loose = !cluster.scenario.ordered() || f[flight] >= World.STRAY;
    return !same || loose && (f[before + 1] != f[flight + 1] || f[before + 2] != f[flight + 2]);
  }

  void deliver(World w, int flight) {
    int to = target(w, w.flights[flight + 1]);
    int parcel = w.flights[flight + 2];
    w.flights = World.minus(w.flights, flight, World.FLIGHT);
    if (w.isAlive(to)) {
      run(w, to, parcel);
    }
  }

  // ---- disks and what else members ask of their host ----

  void append(World w, int member) {
    int thing = w.appends[member][0];
    w.appends = World.with(w.appends, member, World.minus(w.appends[member], 0, 1));
    if (nameNode.isFenced(w, member)) {
      kill(w, member);
      return;
    }
    write(w, member, thing, ExploredDataNodes.Part.ALL);
    run(w, member, cluster.disks.durable(thing));
  }

  void write(World w, int member, int append, ExploredDataNodes.Part part) {
    int region = member / World.SEATS;
    int node = w.homes[member];
    int before = w.disk(region, node);
    int after = cluster.disks.append(before, append, part);
    w.setDisk(region, node, after);
    cluster.disks.tellAppended(
        w, member, before, after, ((MemberEffect.Append) catalog.thing(append)).at().segment());
  }

  void op(World w, int member, int index) {
    Object x = catalog.thing(w.ops[member][index]);
    w.ops = World.with(w.ops, member, World.minus(w.ops[member], index, 1));
    int region = member / World.SEATS;
    int disk = w.disk(region, w.homes[member]);
    boolean reads =
        x instanceof MemberEffect.ScanLog
            || x instanceof MemberEffect.ReplayLog
            || x instanceof MemberEffect.ServeGet;
    if (reads && nameNode.isFenced(w, member)) {
      kill(w, member);
    } else if (x instanceof MemberEffect.ScanLog) {
      scan(w, member);
    } else if (x instanceof MemberEffect.ReplayLog r) {
      run(w, member, cluster.disks.replay(disk, region, r));
    } else if (x instanceof MemberEffect.ServeGet g) {
      Parcel p =
          cluster.disks.serve(
              disk, g, new Endpoint.Member(cluster.spec.regionId(region), w.place(member)));
      send(w, member, p, catalog.number(p));
    } else if (x instanceof MemberEffect.RecoverSegments r) {
      run(w, member, new MemberAutomaton.Recovered(nameNode.recover(w, member, r)));
    } else if (x instanceof MemberEffect.CreateSegment c) {
      run(
          w,
          member,
          new MemberAutomaton.Created(c.segment(), nameNode.createSegment(w, member, c)));
    } else if (x instanceof MemberEffect.Tidy t) {
      nameNode.tidy(w, member, t);
    } else {
      throw new IllegalStateException("no member waits for " + x);
    }
  }

  /** Shows the NameNode the epoch, and then reads the log. */
  private void scan(World w, int member) {
    int region = member / World.SEATS;
    String refusal = nameNode.opens(w, region);
    int event =
        refusal == null
            ? cluster.disks.scan(w, member, master.link(w, region), nameNode.register(w, region))
            : World.NONE;
    if (event == World.NONE) {
      stop(w, member, refusal == null ? "the log is not whole" : refusal);
    } else {
      run(w, member, event);
    }
  }

  // ---- ends ----

  /** A member cannot go on, and says so. */
  private void stop(World w, int member, String why) {
    if (w.away == 0) {
      throw new IllegalStateException("a member with an honest disk cannot go on: " + why);
    }
    master.breaks(w, member, Cause.FAILED, w.place(member), why);
    kill(w, member);
  }

  /** Removes a process, and with it the messages and effects under way that only it could see. */
  void kill(World w, int actor) {
    if (actor < w.homes.length) {
      clear(w, actor);
    }
    w.actors = World.with(w.actors, actor, World.NONE);
    for (int i = w.flights.length - World.FLIGHT; i >= 0; i -= World.FLIGHT) {
      if (target(w, w.flights[i + 1]) == actor) {
        w.flights = World.minus(w.flights, i, World.FLIGHT);
      }
    }
  }

  void clear(World w, int member) {
    w.appends = World.with(w.appends, member, new int[0]);
    w.ops = World.with(w.ops, member, new int[0]);
  }
}
