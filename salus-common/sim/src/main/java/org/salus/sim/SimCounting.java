package org.salus.sim;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.salus.core.RegionId;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission.Deed;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath.Kind;
import org.salus.core.recovery.ReportedStamps;
import org.salus.core.replacement.WrittenManifest;
import org.salus.sim.store.SimDisk;

/** Decides which replicas count at the NameNode, by the stamps that DataNodes report. */
final class SimCounting {
  /** The time after which a DataNode that is down tries to report again, in nanoseconds. */
  private static final long AGAIN = Clock.SECOND / 2;

  /** The time between full reports of two DataNodes, in nanoseconds. */
  private static final long FULL = 20 * Clock.MILLI;

  private final Simulation sim;
  private final SimNameNode nameNode;
  private final List<SimNode> nodes;

  SimCounting(Simulation sim, SimNameNode nameNode, List<SimNode> nodes) {
    this.sim = sim;
    this.nameNode = nameNode;
    this.nodes = nodes;
  }

  /**
   * Has the replicas counted that a recovery has made equal, before the epoch serves. The member
   * names the stamp of its own ones.
   */
  void count(SimMember by, WrittenManifest proof) {
    for (SegmentEnd s : ManifestBody.shown(proof.manifest()).segments()) {
      SimDisk.Replica own = by.store.disk(by.region).segments.get(s.segment());
      if (own != null
          && nameNode.finishedLength(by.region, s.segment()) == SimFiles.OPEN
          && own.stamp > nameNode.stamp(by.region, s.segment())) {
        count(by.region, s.segment(), own.stamp, Set.copyOf(by.link.dataNodes()), proof);
      }
    }
  }

  /**
   * Asks as a wrong member may: that its own replicas count alone, or all members' under a stamp
   * that they do not have.
   */
  void miscount(SimNode by, RegionId region, boolean alone, WrittenManifest proof) {
    for (SegmentEnd s : ManifestBody.shown(proof.manifest()).segments()) {
      SimDisk.Replica own = by.disk(region).segments.get(s.segment());
      if (own != null && nameNode.finishedLength(region, s.segment()) == SimFiles.OPEN) {
        long stamp = alone ? own.stamp : nameNode.nextStamp();
        Set<String> named = alone ? Set.of(by.name) : Set.copyOf(nameNode.knownDataNodes(region));
        count(region, s.segment(), stamp, named, proof);
        own.truncate(0);
      }
    }
  }

  /**
   * Takes a word that the replicas on these nodes are equal, if each DataNode has reported the
   * stamp itself. It does so at once. HDFS drops the others when their DataNodes report in full.
   */
  private void count(
      RegionId id, long segment, long stamp, Set<String> named, WrittenManifest proof) {
    if (!nameNode.allows(id, Deed.LEAVE_BEHIND, Kind.LOG, segment, 0, proof.encode())) {
      return;
    }
    ReportedStamps reports = new ReportedStamps(sim.rules());
    nameNode.reported(id, segment).forEach(reports::reported);
    List<String> members = nameNode.knownDataNodes(id);
    if (!sim.rules().mayDropOthers(members, named) || !reports.unreported(named, stamp).isEmpty()) {
      sim.trace(
          "refused: only " + named + " count for segment " + segment + " of region " + id.index());
      return;
    }
    nameNode.files(id).stamps.put(segment, stamp);
    nameNode.files(id).located.put(segment, new TreeSet<>(named));
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
    for (long segment : nameNode.files(id).segments.keySet()) {
      dropped |= nameNode.dropStale(n, id, segment);
    }
    if (dropped) {
      sim.disksChanged();
    }
  }
}
