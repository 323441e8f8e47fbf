package org.salus.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.FilePath.Kind;
import org.salus.core.log.LogReader;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.Permission.FileState;
import org.salus.core.log.SegmentEnd;
import org.salus.core.recovery.Equalizing;
import org.salus.core.recovery.Goal;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.recovery.ReportedStamps;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker.FileChange;

/**
 * The NameNode: it knows the files and who may change them, and does HDFS's own work on replicas.
 */
final class SimNameNode {
  private static final long OPEN = -1;

  /** How late a DataNode's report may be after the NameNode's restart, in nanoseconds. */
  private static final long LATE = 2 * Clock.SECOND;

  /** The time after which a DataNode that is down tries to report again, in nanoseconds. */
  private static final long AGAIN = Clock.SECOND / 2;

  /** The time between full reports of two DataNodes, in nanoseconds. */
  private static final long FULL = 20 * Clock.MILLI;

  /** The files of one region. */
  private static final class Files {
    /** The length of each segment in bytes, or OPEN. */
    final TreeMap<Long, Long> segments = new TreeMap<>();

    /** The block of each segment. A segment that is made again gets another one. */
    final TreeMap<Long, Long> blocks = new TreeMap<>();

    /** The generation stamp of each segment. A replica with an older one was left behind. */
    final TreeMap<Long, Long> stamps = new TreeMap<>();

    /** The epoch that created each segment. */
    final TreeMap<Long, Integer> created = new TreeMap<>();

    /** The nodes on which the NameNode knows a replica of each segment. */
    final TreeMap<Long, TreeSet<String>> located = new TreeMap<>();

    final TreeSet<Long> checkpoints = new TreeSet<>();

    /** The epoch that recovered the log last. */
    int fenced;

    /** The nodes that took part in that. */
    List<String> fencedAt = List.of();
  }

  private final Simulation sim;
  private final SimMaster master;
  private final List<SimNode> nodes;
  private final Map<RegionId, Files> files = new TreeMap<>();
  private final Map<RegionId, EpochRegister> registers = new TreeMap<>();

  /** The newest generation stamp that was given out. */
  private long newestStamp;

  /** Whether there is no room for another segment. */
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

  /** The length of a finished segment in bytes, or -1. */
  long finishedLength(RegionId r, long segment) {
    return of(r).segments.getOrDefault(segment, OPEN);
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
            || there.stamp > stamp && finishedLength(r, segment) != OPEN
        ? null
        : there;
  }

  /** The name of a segment's replica at each DataNode. */
  String name(RegionId r, long segment) {
    return r.index() + "/" + segment + "/" + of(r).blocks.get(segment);
  }

  /** The epoch that created a segment, or 0 if there is no such segment. */
  int created(RegionId r, long segment) {
    return of(r).created.getOrDefault(segment, 0);
  }

  /** The generation stamp of a segment, or 0 if there is no such segment. */
  long stamp(RegionId r, long segment) {
    return of(r).stamps.getOrDefault(segment, 0L);
  }

  /** Gives out a stamp. Anybody who writes a file gets one. */
  long nextStamp() {
    return ++newestStamp;
  }

  /** Asks a node's DataNode to give its replica of a segment a new stamp, as any server can. */
  void raise(SimNode n, RegionId r, long segment, long stamp) {
    SimDisk.Replica there = n.disk(r).segments.get(segment);
    if (there == null || !answers(n) || stamp <= there.stamp) {
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

  private boolean mayRaise(SimNode n, RegionId r, long segment) {
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
    return of(r).segments.keySet().stream()
        .anyMatch(
            s ->
                members.stream().allMatch(n -> replica(n, r, s) == null)
                    && members.stream().anyMatch(n -> n.disk(r).segments.containsKey(s)));
  }

  /** Whether a later epoch has fenced this member's replicas. */
  boolean isFenced(SimMember m) {
    Files f = of(m.region);
    return m.epoch < f.fenced && (!m.node.hidden || f.fencedAt.contains(m.node.name));
  }

  /** What is known of a region's epochs. It is kept in the NameNode's image. */
  EpochRegister register(RegionId region) {
    return registers.getOrDefault(region, EpochRegister.NONE);
  }

  /** Takes a member's word about its epoch. Returns why it changes nothing, or null. */
  String take(RegionId region, byte[] word) {
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
      if (finishedLength(region, segment) == OPEN) {
        Map<String, Long> reported = new TreeMap<>();
        for (SimNode n : nodes) {
          SimDisk.Replica there = n.disk(region).segments.get(segment);
          if (there != null) {
            reported.put(n.name, there.stamp);
          }
        }
        open.put(segment, new EpochRegister.OpenFile(stamp(region, segment), reported));
      }
    }
    return open;
  }

  private int knownEpoch(RegionId region) {
    EpochLink newest = register(region).newest();
    return newest == null ? 0 : newest.epoch();
  }

  private List<String> knownMembers(RegionId region) {
    EpochLink newest = register(region).newest();
    return newest == null ? List.of() : newest.nodes();
  }

  /**
   * Checks a permission as {@code CertificateGuard} does: only a certificate of the newest epoch
   * that is known counts.
   */
  private boolean allows(
      RegionId region, Deed deed, Kind kind, long number, long length, byte[] permission) {
    int epoch = knownEpoch(region);
    List<String> members = knownMembers(region);
    try {
      Permission p = Permission.decode(permission);
      FileState before = state(region, kind, number);
      boolean yes =
          sim.rules().mayChange(deed, before, register(region).isServing())
              && p.allows(deed, region, kind, number, length, epoch, members, sim.signer());
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

  /** A file gets its block when it is created, so none is empty. */
  private FileState state(RegionId region, Kind kind, long number) {
    boolean exists =
        kind == Kind.LOG
            ? of(region).segments.containsKey(number)
            : of(region).checkpoints.contains(number);
    return exists ? FileState.WITH_BLOCK : FileState.ABSENT;
  }

  boolean createSegment(SimMember by, MemberEffect.CreateSegment x) {
    Files f = of(by.region);
    if (full || f.segments.containsKey(x.segment())) {
      return !full;
    }
    if (by.members.stream().anyMatch(n -> n.retiring)) {
      return false;
    }
    boolean ok = allows(by.region, Deed.CREATE, Kind.LOG, x.segment(), 0, x.permission());
    if (ok) {
      f.segments.put(x.segment(), OPEN);
      sim.checks.roomChanged();
      f.stamps.put(x.segment(), nextStamp());
      f.blocks.put(x.segment(), stamp(by.region, x.segment()));
      f.created.put(x.segment(), by.epoch);
      f.located.put(x.segment(), new TreeSet<>(names(by)));
    }
    return ok;
  }

  /** Does what a wrong member asks for, if that is allowed. */
  void change(RegionId region, Deed deed, long segment, long length, byte[] permission) {
    if (allows(region, deed, Kind.LOG, segment, length, permission)) {
      if (deed == Deed.ABANDON) {
        nodes.forEach(n -> n.disk(region).segments.remove(segment));
      } else if (deed == Deed.ADD_BLOCK) {
        of(region).segments.put(segment, length); // HDFS commits the block before
      }
    }
  }

  void createCheckpoint(SimMember by, MemberEffect.CreateCheckpoint x) {
    if (!full
        && !of(by.region).checkpoints.contains(x.checkpoint())
        && allows(by.region, Deed.CREATE, Kind.CHECKPOINT, x.checkpoint(), 0, x.permission())) {
      of(by.region).checkpoints.add(x.checkpoint());
    }
  }

  private static List<String> names(SimMember by) {
    return by.members.stream().map(n -> n.name).toList();
  }

  /**
   * The outcome of a recovery.
   *
   * @param refuted a segment whose holder does not hold it as it said, or null
   * @param behind the places of members whose DataNodes have not answered
   */
  record Recovery(boolean ok, MemberEffect.ToEqualize refuted, List<Integer> behind) {
    static final Recovery DONE = new Recovery(true, null, List.of());
    static final Recovery FAILED = new Recovery(false, null, List.of());
  }

  /**
   * Fences the writers and cuts or extends each open segment's replicas to the agreed length. The
   * NameNode counts them only when the epoch serves.
   */
  Recovery recover(SimMember by, MemberEffect.RecoverSegments x) {
    RegionId id = by.region;
    Files f = of(id);
    List<SimNode> members = master.memberNodes(id);
    for (MemberEffect.ToEqualize l : x.segments()) {
      SegmentEnd s = l.end();
      long finished = finishedLength(id, s.segment());
      Recovery r =
          finished < 0
              ? equalize(by, x, l)
              : finished == s.length() ? Recovery.DONE : refuted(by, l, true);
      if (!r.ok()) {
        return r;
      }
      fence(f, by);
    }
    if (x.segments().isEmpty() && by.epoch == knownEpoch(id)) {
      fence(f, by);
    }
    replicate(id, members);
    sim.disksChanged();
    return Recovery.DONE;
  }

  private static void fence(Files f, SimMember by) {
    f.fenced = by.epoch;
    f.fencedAt = names(by);
  }

  private static Recovery refuted(SimMember by, MemberEffect.ToEqualize l, boolean isRefuted) {
    return isRefuted && !by.node.isWrong() ? new Recovery(false, l, List.of()) : Recovery.FAILED;
  }

  /** Makes the replicas of an open segment equal, as {@code ReplicaRecovery} does. */
  private Recovery equalize(
      SimMember by, MemberEffect.RecoverSegments x, MemberEffect.ToEqualize l) {
    RegionId id = by.region;
    long segment = l.end().segment();
    // A wrong M0 that levels alone also leaves out what the NameNode knows.
    boolean alone = by.node.isWrong() && x.required().size() < by.members.size();
    Equalizing equalizing =
        new Equalizing(
            Goal.of(x, l, names(by)),
            alone ? List.of() : of(id).located.getOrDefault(segment, new TreeSet<>()));
    List<SimNode> asked =
        nodes.stream()
            .filter(n -> equalizing.asked().contains(n.name))
            .filter(this::answers)
            .toList();
    asked.stream()
        .filter(n -> !equalizing.takesPart(n.name) || mayRecover(n, id, segment))
        .forEach(
            n -> {
              SimDisk.Replica there = replica(n, id, segment);
              equalizing.answered(n.name, there == null ? OwnReplica.ABSENT : there.length());
            });
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    if (!allows(id, Deed.RECOVER, Kind.LOG, segment, 0, x.permission())) {
      return Recovery.FAILED;
    }
    List<SimNode> takePart = asked.stream().filter(n -> equalizing.takesPart(n.name)).toList();
    List<SimNode> whole =
        takePart.stream()
            .filter(n -> equalizing.mayBeWhole(n.name) && replica(n, id, segment) != null)
            .toList();
    whole.forEach(n -> cut(n, id, segment, equalizing));
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    SimDisk.Replica source = source(by, l, equalizing);
    if (source == null) {
      return refuted(by, l, equalizing.isRefuted());
    }
    takePart.stream().filter(n -> !whole.contains(n)).forEach(n -> cut(n, id, segment, equalizing));
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    int length = (int) l.end().length();
    byte[] bytes = Arrays.copyOf(source.prefix(Math.min(source.length(), length)), length);
    long stamp = nextStamp();
    for (SimNode n : takePart) {
      if (equalizing.hasFailed(n.name)) {
        continue;
      }
      SimDisk.Replica there = replica(n, id, segment);
      SimDisk.Replica r = there != null ? there : new SimDisk.Replica();
      r.equalize(bytes, equalizing.end(n.name));
      r.stamp = stamp;
      n.disk(id).segments.put(segment, r);
      of(id).located.computeIfAbsent(segment, k -> new TreeSet<>()).add(n.name);
      equalizing.equalized(n.name);
    }
    return equalizing.behind().isEmpty() || alone ? Recovery.DONE : Recovery.FAILED;
  }

  /**
   * Whether a DataNode stops the writers of its replica for a recovery under the next stamp. One
   * that has no replica always answers.
   */
  private boolean mayRecover(SimNode n, RegionId id, long segment) {
    SimDisk.Replica there = n.disk(id).segments.get(segment);
    return there == null || there.stamp <= newestStamp && mayRaise(n, id, segment);
  }

  /**
   * Has the replicas counted that a recovery has made equal, before the epoch serves. The member
   * names the stamp of its own ones.
   */
  void count(SimMember by, byte[] manifest) {
    for (SegmentEnd s : ManifestBody.shown(manifest).segments()) {
      SimDisk.Replica own = by.node.disk(by.region).segments.get(s.segment());
      if (own != null
          && finishedLength(by.region, s.segment()) == OPEN
          && own.stamp > stamp(by.region, s.segment())) {
        count(by.region, s.segment(), own.stamp, Set.copyOf(names(by)), manifest);
      }
    }
  }

  /**
   * Asks as a wrong member may: that its own replicas count alone, or all members' under a stamp
   * that they do not have.
   */
  void miscount(SimNode by, RegionId region, boolean alone, byte[] manifest) {
    for (SegmentEnd s : ManifestBody.shown(manifest).segments()) {
      SimDisk.Replica own = by.disk(region).segments.get(s.segment());
      if (own != null && finishedLength(region, s.segment()) == OPEN) {
        long stamp = alone ? own.stamp : nextStamp();
        Set<String> named = alone ? Set.of(by.name) : Set.copyOf(knownMembers(region));
        count(region, s.segment(), stamp, named, manifest);
        own.truncate(0);
      }
    }
  }

  /**
   * Takes a word that the replicas on these nodes are equal, if each DataNode has reported the
   * stamp itself. It does so at once. HDFS drops the others when their DataNodes report in full.
   */
  private void count(RegionId id, long segment, long stamp, Set<String> named, byte[] permission) {
    if (!allows(id, Deed.LEAVE_BEHIND, Kind.LOG, segment, 0, permission)) {
      return;
    }
    ReportedStamps reports = new ReportedStamps(sim.rules());
    for (SimNode n : nodes) {
      SimDisk.Replica there = n.disk(id).segments.get(segment);
      if (there != null) {
        reports.reported(n.name, there.stamp);
      }
    }
    List<String> members = knownMembers(id);
    if (!sim.rules().mayDropOthers(members, named) || !reports.unreported(named, stamp).isEmpty()) {
      sim.trace(
          "refused: only " + named + " count for segment " + segment + " of region " + id.index());
      return;
    }
    of(id).stamps.put(segment, stamp);
    of(id).located.put(segment, new TreeSet<>(named));
    long in = FULL;
    for (SimNode n : nodes) {
      sim.clock.after(in, () -> reportInFull(n, id));
      in += FULL;
    }
  }

  /** HDFS drops the replicas on a node that a recovery has left behind. */
  private void reportInFull(SimNode n, RegionId id) {
    if (!n.up || n.cutOff) {
      sim.clock.after(AGAIN, () -> reportInFull(n, id));
      return;
    }
    boolean dropped = false;
    for (long segment : of(id).segments.keySet()) {
      dropped |= dropStale(n, id, segment);
    }
    if (dropped) {
      sim.disksChanged();
    }
  }

  private static Recovery behind(SimMember by, Equalizing equalizing) {
    List<String> names = names(by);
    return new Recovery(false, null, equalizing.silent().stream().map(names::indexOf).toList());
  }

  /** Cuts a replica, if its DataNode lets that happen. One left behind is as good as absent. */
  private void cut(SimNode n, RegionId id, long segment, Equalizing equalizing) {
    SimDisk.Replica there = n.disk(id).segments.get(segment);
    if (there == null) {
      return;
    }
    long end = replica(n, id, segment) == null ? 0 : equalizing.end(n.name);
    long to = Math.min(there.length(), end);
    if (!n.floors().mayCut(name(id, segment), there.length(), to)) {
      sim.trace(n.name + " does not cut segment " + segment + " of region " + id.index());
      equalizing.failed(n.name);
      return;
    }
    there.cutTo(to);
    if (replica(n, id, segment) != null) {
      equalizing.answered(n.name, to);
    }
  }

  /** Whether the node's DataNode answers a recovery in time. */
  private boolean answers(SimNode n) {
    return n.up && !n.broken && !n.slow && sim.now() >= n.pausedUntil;
  }

  /**
   * A replica that is valid up to the agreed end, preferably the holder's. It is not checked if
   * nothing is copied. A wrong M0 never checks: it makes up the missing bytes.
   */
  private SimDisk.Replica source(SimMember by, MemberEffect.ToEqualize l, Equalizing equalizing) {
    List<String> names = new ArrayList<>(equalizing.sources());
    if (by.node.isWrong()) {
      names.add(0, by.members.get(l.holder()).name);
      names.addAll(equalizing.asked());
    }
    boolean unseen = by.node.isWrong() || equalizing.isKnown();
    return names.stream()
        .flatMap(name -> nodes.stream().filter(n -> n.name.equals(name)))
        .map(n -> readable(n, by.region, l.end().segment()))
        .filter(r -> r != null && (unseen || reaches(r, by.region, l.end(), l.common())))
        .findFirst()
        .orElse(null);
  }

  private boolean reaches(SimDisk.Replica source, RegionId id, SegmentEnd s, long common) {
    LogReader reader = new LogReader(source, id, s.segment(), sim.signer());
    if (common > 0 && reader.next() != null) {
      reader.resume(new LogReader.Mark(common, reader.mark().members(), reader.epoch()));
    }
    // A lying member may have named a place where no record ends.
    return reader.reaches(s.length())
        || new LogReader(source, id, s.segment(), sim.signer()).reaches(s.length());
  }

  // ---- which replicas the NameNode knows ----

  /**
   * The NameNode restarts. It knows the files, but not where replicas are: each DataNode reports
   * its own some time later, and perhaps not all of them at once.
   */
  void restart(Random random) {
    files.values().forEach(f -> f.located.clear());
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
                    && SimMember.validLength(sim, n.disk(id).segment(segment), id, segment)
                        >= length)
        .map(n -> n.disk(id).segment(segment))
        .findFirst()
        .orElse(null);
  }

  /** Completes the files that a manifest names, and deletes those that it lets go of. */
  void tidy(SimMember by, MemberEffect.Tidy t) {
    Files f = of(by.region);
    for (SegmentEnd s : t.manifest().segments()) {
      if (finishedLength(by.region, s.segment()) == OPEN
          && f.segments.containsKey(s.segment())
          && allows(by.region, Deed.COMPLETE, Kind.LOG, s.segment(), s.length(), t.permission())) {
        f.segments.put(s.segment(), s.length());
        if (f.created.get(s.segment()) < by.epoch) {
          sim.checks.holders(by, s);
        }
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
  private boolean dropStale(SimNode n, RegionId id, long segment) {
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
