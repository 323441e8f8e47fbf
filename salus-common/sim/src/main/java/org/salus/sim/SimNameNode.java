package org.salus.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.replacement.DataNodeState;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker.FileChange;
import org.salus.sim.store.SimCheckpoint;
import org.salus.sim.store.SimDisk;

/**
 * The NameNode: it knows the files and who may change them, and does HDFS's own work on replicas.
 */
final class SimNameNode {
  /** How late a DataNode's report may be after the NameNode's restart, in nanoseconds. */
  private static final long LATE = 2 * Clock.SECOND;

  /** The time after which a DataNode that is down tries to report again, in nanoseconds. */
  private static final long AGAIN = Clock.SECOND / 2;

  private final Simulation sim;
  private boolean away;
  private boolean hearsStamps = true;
  private boolean finishesFiles = true;
  private final List<SimNode> nodes;
  private final Map<RegionId, SimFiles> files = new TreeMap<>();
  private final Map<RegionId, EpochRegister> registers = new TreeMap<>();

  /** The newest generation stamp that was given out. */
  private long newestStamp;

  /** Whether there is no room for another segment. */
  private boolean full;

  SimNameNode(Simulation sim, List<SimNode> nodes) {
    this.sim = sim;
    this.nodes = nodes;
  }

  /** The files of a region. */
  SimFiles files(RegionId r) {
    return files.computeIfAbsent(r, k -> new SimFiles());
  }

  void setFull(boolean on) {
    full = on;
  }

  /** Whether the DataNodes of a member's epoch have no room for another segment. */
  boolean isFull(SimMember m) {
    return full || m.stores.stream().anyMatch(n -> n.dataNode == DataNodeState.FULL);
  }

  TreeSet<Long> segments(RegionId r) {
    return new TreeSet<>(files(r).segments.keySet());
  }

  boolean hasCheckpoint(RegionId r, long id) {
    return files(r).checkpoints.contains(id);
  }

  /** The length of a finished segment in bytes, or -1. */
  long finishedLength(RegionId r, long segment) {
    return files(r).segments.getOrDefault(segment, SimFiles.OPEN);
  }

  /**
   * A node's replica of a segment, or null if it has none that counts. A recovery has left behind
   * one with an older stamp. Of a finished segment, one with a newer stamp is corrupt.
   */
  SimDisk.Replica replica(SimNode n, RegionId r, long segment) {
    SimDisk.Replica there = n.disk(r).segments.get(segment);
    long stamp = stamp(r, segment);
    return there == null
            || there.stamp < stamp
            || there.stamp > stamp && finishedLength(r, segment) != SimFiles.OPEN
        ? null
        : there;
  }

  /** The name of a segment's replica at each DataNode. */
  String name(RegionId r, long segment) {
    return r.index() + "/" + segment + "/" + files(r).blocks.get(segment);
  }

  /** The epoch that created a segment, or 0 if there is no such segment. */
  int created(RegionId r, long segment) {
    return files(r).created.getOrDefault(segment, 0);
  }

  /** The generation stamp of a segment, or 0 if there is no such segment. */
  long stamp(RegionId r, long segment) {
    return files(r).stamps.getOrDefault(segment, 0L);
  }

  /** The newest stamp that was given out. */
  long newestStamp() {
    return newestStamp;
  }

  /** Gives out a stamp for the replicas of a segment, and notes what DataNodes report of it. */
  long nextStamp(RegionId region, long segment) {
    files(region).noted.add(segment);
    return nextStamp();
  }

  /** Gives out a stamp. Anybody who writes a file gets one. */
  long nextStamp() {
    return ++newestStamp;
  }

  /** Asks a node's DataNode to give its replica of a segment a new stamp, as any server can. */
  void raise(SimNode n, RegionId r, long segment, long stamp) {
    SimDisk.Replica there = n.disk(r).segments.get(segment);
    if (there == null || !n.answers(sim.now()) || stamp <= there.stamp) {
      return;
    }
    boolean ok = sim.rules().isGivenOut(newestStamp, stamp) && mayRaise(n, r, segment);
    sim.trace(
        n.name
            + (ok ? " gives" : " refuses to give")
            + " its replica of segment "
            + segment
            + " of region "
            + r.index()
            + " stamp "
            + stamp);
    if (ok) {
      there.stamp = stamp;
    }
  }

  /** Whether a node's DataNode lets others give its replica of a segment a new stamp. */
  boolean mayRaise(SimNode n, RegionId r, long segment) {
    return n.floors().mayRaise(name(r, segment));
  }

  /** Like {@link #replica}, but null also if the replica cannot be read. */
  SimDisk.Replica readable(SimNode n, RegionId r, long segment) {
    return n.broken ? null : replica(n, r, segment);
  }

  /**
   * Whether a recovery that never served has left behind the replicas of all these nodes. Those
   * with equal replicas are needed then.
   */
  boolean hasLeftBehind(RegionId r, List<SimNode> members) {
    return files(r).segments.keySet().stream()
        .anyMatch(
            s ->
                members.stream().allMatch(n -> replica(n, r, s) == null)
                    && members.stream().anyMatch(n -> n.disk(r).segments.containsKey(s)));
  }

  /** Whether a later epoch has fenced this member's replicas. */
  boolean isFenced(SimMember m) {
    SimFiles f = files(m.region);
    return m.epoch < f.fenced && (!m.node.hidden || f.fencedAt.contains(m.store.name));
  }

  /** A member's epoch has recovered the log. */
  void fence(SimMember by) {
    SimFiles f = files(by.region);
    f.fenced = by.epoch;
    f.fencedAt = by.link.dataNodes();
  }

  /** What is known of a region's epochs. It is kept in the NameNode's image. */
  EpochRegister register(RegionId region) {
    return registers.getOrDefault(region, EpochRegister.NONE);
  }

  /** Takes a member's word about its epoch. Returns why it changes nothing, or null. */
  String take(RegionId region, byte[] word) {
    if (away) {
      return "the NameNode does not answer";
    }
    EpochRegister before = register(region);
    EpochRegister.Answer a =
        before.take(word, region, openFiles(region), sim.epochRules(), sim.signer());
    registers.put(region, a.register());
    sim.checks.epochKnown(region.index(), before, a.register(), word);
    return a.refusal();
  }

  private Map<Long, EpochRegister.OpenFile> openFiles(RegionId region) {
    Map<Long, EpochRegister.OpenFile> open = new TreeMap<>();
    for (long segment : segments(region)) {
      if (finishedLength(region, segment) == SimFiles.OPEN) {
        open.put(
            segment, new EpochRegister.OpenFile(stamp(region, segment), reported(region, segment)));
      }
    }
    return open;
  }

  /** The stamps that DataNodes have reported last of their replicas, as far as that is noted. */
  Map<String, Long> reported(RegionId region, long segment) {
    Map<String, Long> reported = new TreeMap<>();
    for (SimNode n : nodes) {
      SimDisk.Replica there = n.disk(region).segments.get(segment);
      if (hearsStamps && there != null && files(region).noted.contains(segment)) {
        reported.put(n.name, there.stamp);
      }
    }
    return reported;
  }

  /** The newest epoch that the NameNode knows, or 0. */
  int knownEpoch(RegionId region) {
    EpochLink newest = register(region).newest();
    return newest == null ? 0 : newest.epoch();
  }

  /** The DataNodes of the members of the newest epoch that the NameNode knows. */
  List<String> knownDataNodes(RegionId region) {
    EpochLink newest = register(region).newest();
    return newest == null ? List.of() : newest.dataNodes();
  }

  /** The members of the newest epoch that the NameNode knows. */
  List<String> knownMembers(RegionId region) {
    EpochLink newest = register(region).newest();
    return newest == null ? List.of() : newest.nodes();
  }

  /**
   * Checks a permission as {@code CertificateGuard} does: only a certificate of the newest epoch
   * that is known counts.
   */
  boolean allows(
      RegionId region, Deed deed, Kind kind, long number, long length, byte[] permission) {
    if (away) {
      return false;
    }
    int epoch = knownEpoch(region);
    List<String> members = knownMembers(region);
    try {
      Permission p =
          WrittenManifest.permission(
                  deed, permission, register(region).newest(), sim.epochRules(), sim.signer())
              .orElse(null);
      FileState before = state(region, kind, number);
      boolean yes =
          sim.rules().mayChange(deed, before, register(region).isServing())
              && p != null
              && p.allows(deed, region, kind, number, length, epoch, members, sim.signer())
              && sim.rules().isInTurn(deed, kind, number, p, segments(region));
      if (yes) {
        sim.checks.changed(new FileChange(region, deed, kind, number, before, p, epoch, members));
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
                + (p == null ? " without the words of all members" : " with " + p.record()));
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

  /** A file gets its block when it is created, so none is empty. */
  private FileState state(RegionId region, Kind kind, long number) {
    boolean exists =
        kind == Kind.LOG
            ? files(region).segments.containsKey(number)
            : files(region).checkpoints.contains(number);
    return exists ? FileState.WITH_BLOCK : FileState.ABSENT;
  }

  boolean createSegment(SimMember by, MemberEffect.CreateSegment x) {
    if (away) {
      return false;
    }
    SimFiles f = files(by.region);
    if (isFull(by) || f.segments.containsKey(x.segment())) {
      return !isFull(by);
    }
    if (by.stores.stream().anyMatch(n -> n.dataNode.isRetiring())) {
      return false;
    }
    return create(by, x.segment(), x.permission());
  }

  private boolean create(SimMember by, long segment, byte[] permission) {
    boolean ok = allows(by.region, Deed.CREATE, Kind.LOG, segment, 0, permission);
    if (ok) {
      SimFiles f = files(by.region);
      f.segments.put(segment, SimFiles.OPEN);
      sim.checks.roomChanged();
      f.stamps.put(segment, nextStamp());
      f.blocks.put(segment, stamp(by.region, segment));
      f.created.put(segment, by.epoch);
      f.located.put(segment, new TreeSet<>(by.link.dataNodes()));
    }
    return ok;
  }

  /** A wrong member creates a segment, if that is allowed, and has these bytes as its replica. */
  void create(SimMember by, long segment, byte[] permission, byte[] replica) {
    if (create(by, segment, permission)) {
      sim.trace(by.node.name + " revives segment " + segment + " of region " + by.region.index());
      SimDisk.Replica made = by.store.disk(by.region).segment(segment);
      made.set(replica);
      made.stamp = stamp(by.region, segment);
    }
  }

  /** Does what a wrong member asks for, if that is allowed. */
  void change(RegionId region, Deed deed, long segment, long length, byte[] permission) {
    if (allows(region, deed, Kind.LOG, segment, length, permission)) {
      if (deed == Deed.ABANDON) {
        nodes.forEach(n -> n.disk(region).segments.remove(segment));
      } else if (deed == Deed.ADD_BLOCK) {
        files(region).segments.put(segment, length); // HDFS commits the block before
      } else if (deed == Deed.DELETE) {
        deleteSegment(region, segment);
      }
    }
  }

  void createCheckpoint(SimMember by, MemberEffect.CreateCheckpoint x) {
    if (!isFull(by)
        && !files(by.region).checkpoints.contains(x.checkpoint())
        && allows(by.region, Deed.CREATE, Kind.CHECKPOINT, x.checkpoint(), 0, x.permission())) {
      files(by.region).checkpoints.add(x.checkpoint());
    }
  }

  /** Whether it answers nobody, as while it restarts or fails over. */
  boolean isAway() {
    return away;
  }

  void setHearsStamps(boolean on) {
    hearsStamps = on;
  }

  /** Whether it completes and deletes files. */
  boolean finishesFiles() {
    return finishesFiles && !away;
  }

  void setFinishesFiles(boolean on) {
    finishesFiles = on;
  }

  void setAway(boolean away) {
    this.away = away;
  }

  // ---- which replicas the NameNode knows ----

  /**
   * The NameNode restarts. It knows the files, but not where replicas are: each DataNode reports
   * its own some time later, and perhaps not all of them at once.
   */
  void restart(Random random) {
    files
        .values()
        .forEach(
            f -> {
              f.located.clear();
              f.noted.clear();
            });
    for (SimNode n : nodes) {
      boolean inParts = random.nextBoolean();
      long late = random.nextInt((int) LATE);
      sim.clock.after(late, () -> report(n, inParts));
      if (inParts) {
        sim.clock.after(late + random.nextInt((int) LATE), () -> report(n, false));
      }
    }
  }

  /**
   * @param oldest whether only each region's oldest segment is reported
   */
  private void report(SimNode n, boolean oldest) {
    if (!n.up) {
      sim.clock.after(AGAIN, () -> report(n, oldest));
      return;
    }
    files.forEach(
        (id, f) -> {
          for (long segment : f.segments.keySet()) {
            if (replica(n, id, segment) != null) {
              f.located.computeIfAbsent(segment, k -> new TreeSet<>()).add(n.name);
              if (oldest) {
                return;
              }
            }
          }
        });
  }

  /**
   * Does HDFS's background work. Each member gets a whole replica of each finished file, copied
   * from a whole one. Replicas elsewhere are deleted if they have another length or three others
   * exist.
   */
  void replicate(RegionId id, List<SimNode> members) {
    for (Map.Entry<Long, Long> e : files(id).segments.entrySet()) {
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
    for (long c : files(id).checkpoints) {
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
      if (!members.contains(n) && !n.cutOff) {
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
    made.stamp = stamp(id, s.segment());
  }

  private long copies(Predicate<SimDisk> of, RegionId id) {
    return nodes.stream().filter(n -> of.test(n.disk(id))).count();
  }

  private SimDisk.Replica whole(RegionId id, long segment, long length) {
    return nodes.stream()
        .filter(
            n ->
                replica(n, id, segment) != null
                    && SimReplicas.validLength(sim, n.disk(id).segment(segment), id, segment)
                        >= length)
        .map(n -> n.disk(id).segment(segment))
        .findFirst()
        .orElse(null);
  }

  /** Completes the files that a manifest names, and deletes those that it lets go of. */
  void tidy(SimMember by, MemberEffect.Tidy t) {
    SimFiles f = files(by.region);
    for (SegmentEnd s : t.manifest().segments()) {
      if (finishedLength(by.region, s.segment()) == SimFiles.OPEN
          && f.segments.containsKey(s.segment())
          && allows(by.region, Deed.COMPLETE, Kind.LOG, s.segment(), s.length(), t.permission())) {
        f.segments.put(s.segment(), s.length());
        sim.checks.holders(by, s);
        dropStale(by.region, s.segment());
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

  /** HDFS drops the replicas of a finished file that a recovery has left behind. */
  private void dropStale(RegionId id, long segment) {
    boolean dropped = false;
    for (SimNode n : nodes) {
      dropped |= dropStale(n, id, segment);
    }
    if (dropped) {
      sim.disksChanged();
    }
  }

  /** Returns whether a replica was dropped. Its DataNode forgets what its member has said of it. */
  boolean dropStale(SimNode n, RegionId id, long segment) {
    SimDisk.Replica there = n.disk(id).segments.get(segment);
    if (there == null || there.stamp >= stamp(id, segment)) {
      return false;
    }
    n.disk(id).segments.remove(segment);
    n.floors().forget(name(id, segment));
    sim.trace(n.name + " drops its replica of segment " + segment + " of region " + id.index());
    return true;
  }

  private void delete(
      RegionId id, Kind kind, TreeSet<Long> there, LongPredicate which, byte[] permission) {
    for (long n : new ArrayList<>(there)) {
      if (which.test(n) && allows(id, Deed.DELETE, kind, n, 0, permission)) {
        if (kind == Kind.LOG) {
          deleteSegment(id, n);
        } else {
          files(id).checkpoints.remove(n);
          nodes.forEach(x -> x.disk(id).checkpoints.remove(n));
        }
      }
    }
  }

  private void deleteSegment(RegionId id, long segment) {
    files(id).segments.remove(segment);
    nodes.forEach(x -> x.disk(id).segments.remove(segment));
  }
}
