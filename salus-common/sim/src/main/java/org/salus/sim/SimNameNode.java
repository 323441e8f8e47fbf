package org.salus.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.LogReader;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.SegmentEnd;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker.FileChange;

/**
 * The NameNode: which files there are, and who may change them; and what HDFS does to their
 * replicas by itself.
 */
final class SimNameNode {
  private static final long OPEN = -1;

  /** A region's files. */
  private static final class Files {
    /** A segment's length, or OPEN. */
    final TreeMap<Long, Long> segments = new TreeMap<>();

    /**
     * The epoch that created a segment or made its replicas equal; a replica of an older one was
     * left behind.
     */
    final TreeMap<Long, Integer> stamps = new TreeMap<>();

    final TreeSet<Long> checkpoints = new TreeSet<>();

    /** The epoch that recovered the log last. */
    int fenced;
  }

  private final Simulation sim;
  private final SimMaster master;
  private final List<SimNode> nodes;
  private final Map<RegionId, Files> files = new TreeMap<>();

  /** No room for another segment. */
  private boolean full;

  SimNameNode(Simulation sim, SimMaster master, List<SimNode> nodes) {
    this.sim = sim;
    this.master = master;
    this.nodes = nodes;
  }

  private Files of(RegionId r) {
    return files.computeIfAbsent(r, k -> new Files());
  }

  void setFull(boolean on) {
    full = on;
  }

  boolean isFull() {
    return full;
  }

  TreeSet<Long> segments(RegionId r) {
    return new TreeSet<>(of(r).segments.keySet());
  }

  boolean hasCheckpoint(RegionId r, long id) {
    return of(r).checkpoints.contains(id);
  }

  /** The length of a finished segment, or -1. */
  long finishedLength(RegionId r, long segment) {
    return of(r).segments.getOrDefault(segment, OPEN);
  }

  /**
   * A node's replica of a segment, or null when there is none that a recovery of the segment did
   * not leave behind.
   */
  SimDisk.Replica replica(SimNode n, RegionId r, long segment) {
    SimDisk.Replica there = n.disk(r).segments.get(segment);
    return there == null || there.stamp < of(r).stamps.getOrDefault(segment, 0) ? null : there;
  }

  /** The same, and null when it cannot be read. */
  SimDisk.Replica readable(SimNode n, RegionId r, long segment) {
    return n.broken ? null : replica(n, r, segment);
  }

  /** Whether a later epoch has fenced this member's replicas. */
  boolean isFenced(SimMember m) {
    return m.epoch < of(m.region).fenced;
  }

  /** As {@code CertificateGuard} does: only with a certificate of the region's current epoch. */
  private boolean allows(
      RegionId region, Deed deed, Kind kind, long number, long length, byte[] permission) {
    int epoch = master.epoch(region);
    List<String> members = master.members(region);
    try {
      Permission p = Permission.decode(permission);
      boolean yes = p.allows(deed, region, kind, number, length, epoch, members, sim.signer());
      if (yes) {
        sim.checks.changed(new FileChange(region, deed, kind, number, p, epoch, members));
      } else {
        sim.trace(
            "refused: "
                + deed
                + " "
                + kind
                + " "
                + number
                + " of region "
                + region.index()
                + " with "
                + p.record());
      }
      return yes;
    } catch (MalformedException e) {
      sim.trace(
          "refused: "
              + deed
              + " "
              + kind
              + " "
              + number
              + " of region "
              + region.index()
              + ", no permission");
      return false;
    }
  }

  boolean createSegment(SimMember by, MemberEffect.CreateSegment x) {
    boolean ok = !full && allows(by.region, Deed.CREATE, Kind.LOG, x.segment(), 0, x.permission());
    if (ok) {
      if (of(by.region).segments.putIfAbsent(x.segment(), OPEN) == null) {
        of(by.region).stamps.put(x.segment(), by.epoch);
      }
    }
    return ok;
  }

  void createCheckpoint(SimMember by, MemberEffect.CreateCheckpoint x) {
    if (!full
        && allows(by.region, Deed.CREATE, Kind.CHECKPOINT, x.checkpoint(), 0, x.permission())) {
      of(by.region).checkpoints.add(x.checkpoint());
    }
  }

  /**
   * How a recovery ended; {@code refuted} is a segment that its holder does not hold as it said, or
   * null.
   */
  record Recovery(boolean ok, MemberEffect.ToEqualize refuted) {}

  /**
   * Fences the writers and makes each open segment's replicas as long as is agreed; others are
   * deleted.
   */
  Recovery recover(SimMember by, MemberEffect.RecoverSegments x) {
    RegionId id = by.region;
    Files f = of(id);
    List<SimNode> members = master.memberNodes(id);
    TreeSet<Long> named = new TreeSet<>();
    for (MemberEffect.ToEqualize l : x.segments()) {
      SegmentEnd s = l.end();
      named.add(s.segment());
      SimNode holder = by.members.get(l.holder());
      long finished = finishedLength(id, s.segment());
      SimDisk.Replica source =
          finished < 0
              ? source(id, s, l.common(), holder, by.node.isWrong() || areSeen(by, l))
              : null;
      boolean there = finished < 0 ? source != null : finished == s.length();
      if (!there) {
        return new Recovery(false, holder.broken || by.node.isWrong() ? null : l);
      }
      if (finished < 0 && !equalize(by, l, source, x.permission())) {
        return new Recovery(false, null);
      }
      f.fenced = by.epoch;
    }
    if (x.segments().isEmpty() && by.epoch == master.epoch(id)) {
      f.fenced = by.epoch;
    }
    delete(id, Kind.LOG, segments(id), n -> !named.contains(n), x.permission());
    replicate(id, members);
    sim.disksChanged();
    return new Recovery(true, null);
  }

  /** Whether all replicas are said to be valid so far, and are as long: nothing is copied then. */
  private boolean areSeen(SimMember by, MemberEffect.ToEqualize l) {
    for (SimNode n : nodes) {
      SimDisk.Replica there = replica(n, by.region, l.end().segment());
      int place = by.members.indexOf(n);
      boolean isListed = place >= 0 || there != null && n.up && !n.broken;
      if (isListed
          && (place < 0
              || there == null
              || Math.min(there.length(), l.valid().get(place)) < l.end().length())) {
        return false;
      }
    }
    return true;
  }

  /**
   * A replica that is valid so far, the holder's first. Where nothing is copied nobody looks, and a
   * wrong M0 never does: it fills up what there is not.
   */
  private SimDisk.Replica source(
      RegionId id, SegmentEnd s, long common, SimNode holder, boolean unseen) {
    List<SimNode> places = new ArrayList<>(sim.othersUp(holder));
    places.add(0, holder);
    return places.stream()
        .map(n -> readable(n, id, s.segment()))
        .filter(r -> r != null && (unseen || reaches(r, id, s, common)))
        .findFirst()
        .orElse(null);
  }

  private boolean reaches(SimDisk.Replica source, RegionId id, SegmentEnd s, long common) {
    LogReader reader = new LogReader(source, id, s.segment(), sim.signer());
    if (common > 0 && reader.next() != null) {
      reader.resume(new LogReader.Mark(common, reader.mark().members(), reader.epoch()));
    }
    // Who lies may have named a place where no record ends.
    return reader.reaches(s.length())
        || new LogReader(source, id, s.segment(), sim.signer()).reaches(s.length());
  }

  private boolean equalize(
      SimMember by, MemberEffect.ToEqualize l, SimDisk.Replica source, byte[] permission) {
    RegionId id = by.region;
    SegmentEnd s = l.end();
    if (!allows(id, Deed.RECOVER, Kind.LOG, s.segment(), 0, permission)) {
      return false;
    }
    byte[] bytes =
        Arrays.copyOf(source.prefix(Math.min(source.length(), s.length())), (int) s.length());
    for (SimNode n : nodes) {
      SimDisk.Replica there = replica(n, id, s.segment());
      int place = by.members.indexOf(n);
      if (place >= 0 || there != null && n.up && !n.broken) {
        SimDisk.Replica r =
            there != null
                ? there
                : new SimDisk
                    .Replica(); // HDFS gives a joining member's DataNode one when the file is
        // finished
        r.equalize(bytes, place < 0 ? s.length() : l.valid().get(place));
        r.stamp = by.epoch;
        n.disk(id).segments.put(s.segment(), r);
      }
    }
    of(id).stamps.put(s.segment(), by.epoch);
    return true;
  }

  /**
   * What HDFS does in the background: finished files have a replica of their length at each member,
   * copied from one that is whole; those elsewhere go when there are three without them, or when
   * they are not of the file's length.
   */
  private void replicate(RegionId id, List<SimNode> members) {
    for (Map.Entry<Long, Long> e : of(id).segments.entrySet()) {
      if (e.getValue() >= 0) {
        SegmentEnd s = new SegmentEnd(e.getKey(), e.getValue());
        SimDisk.Replica whole = whole(id, s.segment(), s.length());
        members.stream()
            .filter(
                n ->
                    whole != null
                        && (replica(n, id, s.segment()) == null
                            || n.disk(id).segment(s.segment()).length() != s.length()))
            .forEach(n -> copy(whole, id, s, n));
      }
    }
    for (long c : of(id).checkpoints) {
      SimCheckpoint whole =
          nodes.stream()
              .map(n -> n.disk(id).checkpoints.get(c))
              .filter(k -> k != null && !k.isDamaged())
              .findFirst()
              .orElse(null);
      members.stream()
          .filter(n -> whole != null)
          .forEach(n -> n.disk(id).checkpoints.computeIfAbsent(c, k -> whole.copy()));
    }
    for (SimNode n : nodes) {
      if (!members.contains(n)) {
        n.disk(id)
            .segments
            .entrySet()
            .removeIf(
                e ->
                    finishedLength(id, e.getKey()) >= 0
                        && (replica(n, id, e.getKey()) == null
                            || e.getValue().length() != finishedLength(id, e.getKey())
                            || copies(d -> d.segments.containsKey(e.getKey()), id) > Lanes.COUNT));
        n.disk(id)
            .checkpoints
            .keySet()
            .removeIf(c -> copies(d -> d.checkpoints.containsKey(c), id) > Lanes.COUNT);
      }
    }
  }

  private void copy(SimDisk.Replica whole, RegionId id, SegmentEnd s, SimNode to) {
    SimDisk.Replica made = to.disk(id).segment(s.segment());
    made.set(whole.prefix(s.length()));
    made.stamp = of(id).stamps.getOrDefault(s.segment(), 0);
  }

  private long copies(Predicate<SimDisk> of, RegionId id) {
    return nodes.stream().filter(n -> of.test(n.disk(id))).count();
  }

  private SimDisk.Replica whole(RegionId id, long segment, long length) {
    return nodes.stream()
        .filter(
            n ->
                n.disk(id).segments.containsKey(segment)
                    && SimMember.validLength(sim, n.disk(id).segment(segment), id, segment)
                        >= length)
        .map(n -> n.disk(id).segment(segment))
        .findFirst()
        .orElse(null);
  }

  /** Completes what a manifest names, and deletes what it lets go of. */
  void tidy(SimMember by, MemberEffect.Tidy t) {
    Files f = of(by.region);
    for (SegmentEnd s : t.manifest().segments()) {
      if (finishedLength(by.region, s.segment()) == OPEN
          && f.segments.containsKey(s.segment())
          && allows(by.region, Deed.COMPLETE, Kind.LOG, s.segment(), s.length(), t.permission())) {
        f.segments.put(s.segment(), s.length());
      }
    }
    delete(
        by.region,
        Kind.LOG,
        segments(by.region),
        segment -> t.manifest().discards(segment, t.segment()),
        t.permission());
    delete(
        by.region,
        Kind.CHECKPOINT,
        new TreeSet<>(f.checkpoints),
        t.manifest()::discardsCheckpoint,
        t.permission());
  }

  private void delete(
      RegionId id, Kind kind, TreeSet<Long> there, LongPredicate which, byte[] permission) {
    for (long n : new ArrayList<>(there)) {
      if (which.test(n) && allows(id, Deed.DELETE, kind, n, 0, permission)) {
        of(id).segments.keySet().removeIf(k -> kind == Kind.LOG && k == n);
        of(id).checkpoints.removeIf(k -> kind == Kind.CHECKPOINT && k == n);
        nodes.forEach(
            x -> {
              x.disk(id).segments.keySet().removeIf(k -> kind == Kind.LOG && k == n);
              x.disk(id).checkpoints.keySet().removeIf(k -> kind == Kind.CHECKPOINT && k == n);
            });
      }
    }
  }
}
