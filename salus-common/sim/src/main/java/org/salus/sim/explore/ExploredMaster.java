package org.salus.sim.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message;
import org.salus.core.path.FilePath;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker;
import org.salus.sim.check.NoSpuriousChange;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.automaton.MemberAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;
import org.salus.sim.explore.automaton.SessionAutomaton;

/**
 * The master, which chooses the members of every epoch, and the NameNode, which knows the files.
 */
final class ExploredMaster {
  private final ExploredCluster cluster;
  private final Steps steps;
  private final NoSpuriousChange changes;

  ExploredMaster(ExploredCluster cluster, Steps steps) {
    this.cluster = cluster;
    this.steps = steps;
    this.changes = new NoSpuriousChange(cluster.signer);
  }

  /** The nodes with which a region begins. */
  private List<Integer> firstNodes(int region) {
    Scenario s = cluster.scenario;
    List<Integer> nodes = new ArrayList<>();
    for (int i = 0; i < s.members(); i++) {
      nodes.add(s.shared() ? (i + region) % s.members() : region * s.members() + i);
    }
    return nodes;
  }

  /**
   * Opens a region's next epoch with the holders that run, and a spare in place of each that does
   * not. When no holder runs, the holders come back, because nobody else has the data.
   */
  void open(World w, int region) {
    boolean first = w.epoch[region] == 0;
    if (!first && (w.holders[region] & w.up) == 0) {
      w.up |= w.holders[region];
    }
    List<Integer> members = new ArrayList<>();
    for (int n : first ? firstNodes(region) : ExploredCluster.nodes(w.holders[region])) {
      if (w.isUp(n)) {
        members.add(n);
      }
    }
    int having = set(members);
    for (int n = w.nodes - cluster.scenario.spares();
        n < w.nodes && members.size() < cluster.scenario.members();
        n++) {
      if (w.isUp(n) && !members.contains(n)) {
        members.add(n);
      }
    }
    w.holders = World.with(w.holders, region, having);
    start(w, region, members);
  }

  private static int set(List<Integer> nodes) {
    return nodes.stream().mapToInt(n -> 1 << n).sum();
  }

  private void start(World w, int region, List<Integer> nodes) {
    int epoch = w.epoch[region] + 1;
    w.epoch = World.with(w.epoch, region, epoch);
    w.serving = World.with(w.serving, region, 0);
    for (int place = 0; place < World.UNAWARE; place++) {
      int m = w.actor(region, place);
      boolean used = place < nodes.size();
      steps.clear(w, m);
      w.actors =
          World.with(
              w.actors, m, used ? cluster.newMember(region, epoch, nodes, place) : World.NONE);
      w.homes = World.with(w.homes, m, used ? nodes.get(place) : World.NONE);
      w.seats = World.with(w.seats, m, used ? World.seat(place, nodes.size(), epoch) : 0);
    }
    dropStale(w, region);
    steps.sortFlights(w);
    for (int place = 0; place < nodes.size(); place++) {
      steps.run(w, w.actor(region, place), cluster.catalog.number(new MemberAutomaton.Start()));
    }
  }

  /**
   * Drops messages that a member ignores: those that its predecessors sent each other in earlier
   * epochs.
   */
  private void dropStale(World w, int region) {
    int kept = 0;
    int[] flights = w.flights.clone();
    for (int i = 0; i < flights.length; i += World.FLIGHT) {
      boolean here =
          flights[i + 1] < w.homes.length
              && flights[i + 1] / World.SEATS == region
              && flights[i + 1] % World.SEATS != World.UNAWARE;
      if (!here || !isOfOneEpoch(((Parcel) cluster.catalog.thing(flights[i + 2])).message())) {
        System.arraycopy(flights, i, flights, kept, World.FLIGHT);
        kept += World.FLIGHT;
      }
    }
    w.flights = Arrays.copyOf(flights, kept);
  }

  private static boolean isOfOneEpoch(Message m) {
    return m instanceof Message.Chain
        || m instanceof Message.Certified
        || m instanceof Message.LogEnds
        || m instanceof Message.Opening;
  }

  /** Whether the newest epoch has members and all of them run. */
  boolean isComplete(World w, int region) {
    for (int place = 0; place < w.members(region); place++) {
      if (!w.isAlive(w.actor(region, place))) {
        return false;
      }
    }
    return true;
  }

  /** A member says that its epoch serves. */
  void serves(World w, int member) {
    int region = member / World.SEATS;
    if (isCurrent(w, member)) {
      w.serving = World.with(w.serving, region, w.epochOf(member));
      int set = 0;
      for (int place = 0; place < w.size(member); place++) {
        set |= 1 << w.homes[w.actor(region, place)];
      }
      w.holders = World.with(w.holders, region, set);
      cluster.tell(w, new Note.Serving(region, w.size(member)));
      for (int m = 1; m <= w.mounts; m++) {
        notify(w, m, region);
      }
    }
  }

  /** Tells a session which epoch serves a region. */
  void notify(World w, long mount, int region) {
    if (w.serving[region] != 0 && w.isAlive(w.session(mount))) {
      steps.post(
          w,
          w.master(),
          w.session(mount),
          cluster.catalog.number(
              new SessionAutomaton.Rrs(
                  region, w.serving[region], Integer.bitCount(w.holders[region]))));
    }
  }

  void mount(World w) {
    w.mounts++;
    int session = w.session(w.mounts);
    w.actors = World.with(w.actors, session, cluster.newSession(w.mounts));
    for (int r = 0; r < w.regions; r++) {
      notify(w, w.mounts, r);
    }
  }

  // ---- NameNode ----

  static boolean isCurrent(World w, int member) {
    return w.epochOf(member) == w.epoch[member / World.SEATS]
        && member % World.SEATS != World.UNAWARE;
  }

  boolean isFenced(World w, int member) {
    return w.epochOf(member) < w.fenced[member / World.SEATS];
  }

  /**
   * Changes a file for a member. A right member of the current epoch asks for nothing without the
   * certificate for it (P5).
   */
  private void change(World w, int member, Permission.Deed deed, long segment, byte[] permission) {
    RegionId region = cluster.spec.regionId(member / World.SEATS);
    Permission.FileState before =
        (w.files[region.index()] >> segment & 1) != 0
            ? Permission.FileState.WITH_BLOCK
            : Permission.FileState.ABSENT;
    int epoch = w.epochOf(member);
    List<String> members =
        IntStream.range(0, w.size(member))
            .mapToObj(place -> ExploredCluster.nodeName(w.homes[w.actor(region.index(), place)]))
            .toList();
    try {
      Permission p = Permission.decode(permission);
      changes.fileChanged(
          new Checker.FileChange(
              region, deed, FilePath.Kind.LOG, segment, before, p, epoch, members));
      if (!deed.fits(before)
          || !p.allows(
              deed, region, FilePath.Kind.LOG, segment, 0, epoch, members, cluster.signer)) {
        throw new Violation(
            "P5 no spurious change",
            deed
                + " of segment "
                + segment
                + " of region "
                + region.index()
                + " with "
                + p.record());
      }
    } catch (MalformedException e) {
      throw new Violation(
          "P5 no spurious change",
          deed
              + " of segment "
              + segment
              + " of region "
              + region.index()
              + " without a permission");
    }
  }

  boolean createSegment(World w, int member, MemberEffect.CreateSegment c) {
    int region = member / World.SEATS;
    if (isCurrent(w, member) && (w.files[region] >> c.segment() & 1) == 0) {
      change(w, member, Permission.Deed.CREATE, c.segment(), c.permission());
      w.files = World.with(w.files, region, w.files[region] | 1 << c.segment());
    }
    return isCurrent(w, member);
  }

  /** Gives every member the bytes of a valid replica. Replicas elsewhere stay as they are. */
  boolean recover(World w, int member, MemberEffect.RecoverSegments r) {
    if (!isCurrent(w, member)) {
      return false;
    }
    int region = member / World.SEATS;
    w.fenced = World.with(w.fenced, region, w.epochOf(member));
    int members = members(w, member);
    for (MemberEffect.ToEqualize l : r.segments()) {
      SegmentEnd s = l.end();
      change(w, member, Permission.Deed.RECOVER, s.segment(), r.permission());
      byte[] good = good(w, region, members, s);
      for (int n : ExploredCluster.nodes(members)) {
        w.setDisk(
            region,
            n,
            cluster.catalog.number(cluster.disks.disk(w.disk(region, n)).set(s.segment(), good)));
      }
    }
    cluster.disks.changed(w);
    return true;
  }

  /**
   * Takes a member's word that its epoch serves. From then on the members' replicas of the log
   * before count alone.
   */
  boolean register(World w, int member, MemberEffect.RegisterEpoch r) {
    if (!isCurrent(w, member)) {
      return false;
    }
    int region = member / World.SEATS;
    TreeSet<Long> counted = new TreeSet<>();
    for (SegmentEnd s : ManifestBody.shown(r.permission()).segments()) {
      change(w, member, Permission.Deed.LEAVE_BEHIND, s.segment(), r.permission());
      counted.add(s.segment());
    }
    int members = members(w, member);
    for (int n = 0; n < w.nodes; n++) {
      if ((members >> n & 1) == 0) {
        TreeSet<Long> stay =
            new TreeSet<>(cluster.disks.disk(w.disk(region, n)).segments().keySet());
        stay.removeAll(counted);
        w.setDisk(region, n, cluster.disks.retain(w.disk(region, n), stay));
      }
    }
    cluster.disks.changed(w);
    return true;
  }

  private static int members(World w, int member) {
    int members = 0;
    for (int place = 0; place < w.size(member); place++) {
      members |= 1 << w.homes[w.actor(member / World.SEATS, place)];
    }
    return members;
  }

  private byte[] good(World w, int region, int members, SegmentEnd s) {
    for (int n : ExploredCluster.nodes(members)) {
      int disk = w.disk(region, n);
      if (cluster.disks.valid(disk, region, s.segment()).end() >= s.length()) {
        return Arrays.copyOf(
            cluster.disks.disk(disk).segments().get(s.segment()).bytes(), (int) s.length());
      }
    }
    throw new Violation("P3 prefix", "no replica of region " + region + " holds " + s);
  }

  private void retain(World w, int region, TreeSet<Long> named) {
    w.files = World.with(w.files, region, w.files[region] & ExploredDataNodes.set(named));
  }

  /** Deletes everywhere the files that a manifest lets go of. */
  void tidy(World w, int member, MemberEffect.Tidy t) {
    if (!isCurrent(w, member)) {
      return;
    }
    int region = member / World.SEATS;
    TreeSet<Long> kept = new TreeSet<>();
    for (int s : ExploredCluster.nodes(w.files[region])) {
      if (t.manifest().discards(s, t.segment())) {
        change(w, member, Permission.Deed.DELETE, s, t.permission());
      } else {
        kept.add((long) s);
      }
    }
    retain(w, region, kept);
    for (int n = 0; n < w.nodes; n++) {
      ExploredDisk d = cluster.disks.disk(w.disk(region, n));
      TreeSet<Long> stay = new TreeSet<>(d.segments().keySet());
      stay.removeIf(s -> t.manifest().discards(s, t.segment()));
      w.setDisk(region, n, cluster.disks.retain(w.disk(region, n), stay));
    }
  }
}
