package org.salus.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.recovery.Equalizing;
import org.salus.core.recovery.Goal;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.scan.LogScan;
import org.salus.sim.store.SimDisk;

/**
 * Recovers a region's log for a new epoch: it makes the replicas of open segments equal, as {@code
 * ReplicaRecovery} does.
 */
final class SimRecovery {
  private final Simulation sim;
  private final SimMaster master;
  private final SimNameNode nameNode;
  private final List<SimNode> nodes;

  SimRecovery(Simulation sim, SimMaster master, SimNameNode nameNode, List<SimNode> nodes) {
    this.sim = sim;
    this.master = master;
    this.nameNode = nameNode;
    this.nodes = nodes;
  }

  /**
   * The outcome of a recovery.
   *
   * @param refuted a segment whose holder does not hold it as it said, or null
   * @param behind the places of members whose DataNodes have not answered
   */
  record Outcome(boolean ok, MemberEffect.ToEqualize refuted, List<Integer> behind) {
    static final Outcome DONE = new Outcome(true, null, List.of());
    static final Outcome FAILED = new Outcome(false, null, List.of());
  }

  /**
   * Fences the writers and cuts or extends each open segment's replicas to the agreed length. The
   * NameNode counts them only when the epoch serves.
   */
  Outcome recover(SimMember by, MemberEffect.RecoverSegments x) {
    RegionId id = by.region;
    List<SimNode> members = master.storeNodes(id);
    for (MemberEffect.ToEqualize l : x.segments()) {
      SegmentEnd s = l.end();
      long finished = nameNode.finishedLength(id, s.segment());
      Outcome r =
          finished < 0
              ? equalize(by, x, l)
              : finished == s.length() ? Outcome.DONE : refuted(by, l, true);
      if (!r.ok()) {
        return r;
      }
      nameNode.fence(by);
    }
    if (x.segments().isEmpty() && by.epoch == nameNode.knownEpoch(id)) {
      nameNode.fence(by);
    }
    nameNode.replicate(id, members);
    sim.disksChanged();
    return Outcome.DONE;
  }

  private static Outcome refuted(SimMember by, MemberEffect.ToEqualize l, boolean isRefuted) {
    return isRefuted && !by.node.isWrong() ? new Outcome(false, l, List.of()) : Outcome.FAILED;
  }

  private Outcome equalize(
      SimMember by, MemberEffect.RecoverSegments x, MemberEffect.ToEqualize l) {
    RegionId id = by.region;
    long segment = l.end().segment();
    // A wrong M0 that levels alone also leaves out what the NameNode knows.
    boolean alone = by.node.isWrong() && x.required().size() < by.members.size();
    Equalizing equalizing =
        new Equalizing(
            Goal.of(x, l, by.link.dataNodes()),
            alone ? List.of() : nameNode.files(id).located.getOrDefault(segment, new TreeSet<>()));
    List<SimNode> asked =
        nodes.stream()
            .filter(n -> equalizing.asked().contains(n.name))
            .filter(n -> n.answers(sim.now()))
            .toList();
    asked.stream()
        .filter(n -> !equalizing.takesPart(n.name) || mayRecover(n, id, segment))
        .forEach(
            n -> {
              SimDisk.Replica there = nameNode.replica(n, id, segment);
              equalizing.answered(n.name, there == null ? OwnReplica.ABSENT : there.length());
            });
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    if (!nameNode.allows(id, Deed.RECOVER, Kind.LOG, segment, 0, x.permission())) {
      return Outcome.FAILED;
    }
    List<SimNode> takePart = asked.stream().filter(n -> equalizing.takesPart(n.name)).toList();
    List<SimNode> whole =
        takePart.stream()
            .filter(n -> equalizing.mayBeWhole(n.name) && nameNode.replica(n, id, segment) != null)
            .toList();
    whole.forEach(n -> cut(n, id, segment, equalizing));
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    SimDisk.Replica source = source(by, l, equalizing);
    if (source == null) {
      return equalizing.silent().isEmpty()
          ? refuted(by, l, equalizing.isRefuted())
          : behind(by, equalizing);
    }
    takePart.stream().filter(n -> !whole.contains(n)).forEach(n -> cut(n, id, segment, equalizing));
    if (!equalizing.silent().isEmpty()) {
      return behind(by, equalizing);
    }
    int length = (int) l.end().length();
    byte[] bytes = Arrays.copyOf(source.prefix(Math.min(source.length(), length)), length);
    long stamp = nameNode.nextStamp(id, segment);
    for (SimNode n : takePart) {
      if (equalizing.hasFailed(n.name)) {
        continue;
      }
      SimDisk.Replica there = nameNode.replica(n, id, segment);
      SimDisk.Replica r = there != null ? there : new SimDisk.Replica();
      r.equalize(bytes, equalizing.end(n.name));
      r.stamp = stamp;
      n.disk(id).segments.put(segment, r);
      nameNode.files(id).located.computeIfAbsent(segment, k -> new TreeSet<>()).add(n.name);
      equalizing.equalized(n.name);
    }
    return equalizing.behind().isEmpty() || alone ? Outcome.DONE : Outcome.FAILED;
  }

  /**
   * Whether a DataNode stops the writers of its replica for a recovery under the next stamp. One
   * that has no replica always answers.
   */
  private boolean mayRecover(SimNode n, RegionId id, long segment) {
    SimDisk.Replica there = n.disk(id).segments.get(segment);
    return there == null
        || there.stamp <= nameNode.newestStamp() && nameNode.mayRaise(n, id, segment);
  }

  private static Outcome behind(SimMember by, Equalizing equalizing) {
    List<String> names = by.link.dataNodes();
    return new Outcome(false, null, equalizing.silent().stream().map(names::indexOf).toList());
  }

  /** Cuts a replica, if its DataNode lets that happen. One left behind is as good as absent. */
  private void cut(SimNode n, RegionId id, long segment, Equalizing equalizing) {
    SimDisk.Replica there = n.disk(id).segments.get(segment);
    if (there == null) {
      return;
    }
    long end = nameNode.replica(n, id, segment) == null ? 0 : equalizing.end(n.name);
    long to = Math.min(there.length(), end);
    if (!n.floors().mayCut(nameNode.name(id, segment), there.length(), to)) {
      sim.trace(n.name + " does not cut segment " + segment + " of region " + id.index());
      equalizing.failed(n.name);
      return;
    }
    there.cutTo(to);
    if (nameNode.replica(n, id, segment) != null) {
      equalizing.answered(n.name, to);
    }
  }

  /**
   * A replica that is valid up to the agreed end, preferably the holder's. It is not checked if
   * nothing is copied. A wrong M0 never checks: it makes up the missing bytes. If there is none,
   * because M0 could not read some, their DataNodes have failed.
   */
  private SimDisk.Replica source(SimMember by, MemberEffect.ToEqualize l, Equalizing equalizing) {
    List<String> names = new ArrayList<>(equalizing.sources());
    if (by.node.isWrong()) {
      names.add(0, by.stores.get(l.holder()).name);
      names.addAll(equalizing.asked());
    }
    boolean unseen = by.node.isWrong() || equalizing.isKnown();
    List<String> unreadable = new ArrayList<>();
    for (String name : names) {
      SimNode n = sim.node(name);
      SimDisk.Replica r = nameNode.readable(n, by.region, l.end().segment());
      SimReach.Reading read = r == null ? null : by.reachTo(n).reading(r, r.length());
      if (r != null && (unseen || reaches(read, by, l.end(), l.common()))) {
        return r;
      }
      if (r != null && read.isUnsure()) {
        unreadable.add(name);
      }
    }
    equalizing.unread(unreadable);
    return null;
  }

  private boolean reaches(LogReader.Source source, SimMember by, SegmentEnd s, long common) {
    RegionId id = by.region;
    LogReader reader = new LogReader(source, id, s.segment(), sim.signer());
    LogRecord head = reader.next();
    if (LogScan.isVoid(head, by.link.served())) {
      return false;
    }
    if (common > 0 && head != null) {
      reader.resume(new LogReader.Mark(common, reader.mark().members(), reader.epoch()));
    }
    // A lying member may have named a place where no record ends.
    return reader.reaches(s.length())
        || new LogReader(source, id, s.segment(), sim.signer()).reaches(s.length());
  }
}
