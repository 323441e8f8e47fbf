package org.salus.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.salus.core.RegionId;
import org.salus.core.checkpoint.CheckpointReader;
import org.salus.core.checkpoint.CheckpointWithSegments;
import org.salus.core.checkpoint.ReplicatedReader;
import org.salus.core.checkpoint.UnreadableException;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.SegmentEnd;
import org.salus.core.member.MemberRules;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.scan.KnownLog;
import org.salus.core.scan.LogScan;
import org.salus.sim.store.SimCheckpoint;
import org.salus.sim.store.SimDisk;

/**
 * A region's files as one member reads them: its own replicas first. If one is missing or damaged,
 * it reads another DataNode's replica of a finished segment or checkpoint, as the region server's
 * stores do.
 */
final class SimReplicas {
  private final Simulation sim;
  private final SimReach reach;
  private final SimNode store;
  private final RegionId region;

  /** The node that a segment is read from, if that is not the own DataNode's. */
  private final TreeMap<Long, SimNode> turned = new TreeMap<>();

  /** For each open segment, how far the scan found the own replica valid. */
  private final TreeMap<Long, LogReader.Mark> scanned = new TreeMap<>();

  /** Whether the network broke a scan off. */
  private boolean brokeOff;

  /** The epoch of the member that reads. */
  private final EpochLink link;

  SimReplicas(Simulation sim, SimReach reach, EpochLink link) {
    this.sim = sim;
    this.reach = reach;
    this.store = reach.store();
    this.region = link.region();
    this.link = link;
  }

  /**
   * Reads the open segments, and tells the own DataNode how far they are valid. A finished segment
   * counts to its end. Null if a replica could not be read through, or if a log is not found that
   * must be there.
   *
   * @param before the log before the epoch that served last
   * @param members the machines of the members' DataNodes
   */
  LogScan.Found scan(KnownLog known, LogBefore before, List<SimNode> members) {
    Member self = new Member(reach.node().name, 0, store.name);
    String left = link.rebuilds() ? null : link.left(self).orElse(null);
    boolean joins = !link.isHolder(self);
    LogScan found = new LogScan(link, before, self);
    int newest = 0;
    for (long s : sim.nameNode().segments(region)) {
      if (found.skips(s)) {
        continue;
      }
      long finished = sim.nameNode().finishedLength(region, s);
      if (finished >= 0) {
        found.finished(new SegmentEnd(s, finished));
        newest = Math.max(newest, sim.nameNode().created(region, s));
        continue;
      }
      if (link.rebuilds()) {
        lookAtHolders(s, found);
      }
      if (left != null && !lookAtLeft(s, left, members, found)) {
        brokeOff = true;
        return null;
      }
      SimDisk.Replica own = sim.nameNode().replica(store, region, s);
      if (own == null) {
        boolean isLeftBehind =
            store.disk(region).segments.containsKey(s) || link.rebuilds() && isOnlyLeftBehind(s);
        boolean looks = joins && !link.rebuilds() && left == null;
        found.missing(s, known.written(s), isLeftBehind, looks ? elsewhere(s, members) : Map.of());
        keep(s, 0);
      } else {
        turned.remove(s);
        LogReader reader =
            sim.reader(reach.reading((at, to) -> read(store, s, at, to), own.length()), region, s);
        if (!found.open(reader, own.length(), known.written(s))) {
          brokeOff = true;
          return null;
        }
        scanned.put(s, reader.mark());
        keep(s, reader.end());
      }
    }
    newest = joins ? newest : Math.max(newest, newestOfMembers(members, found));
    return found.mayTakePart(newest, sim.rules()) ? found.found() : null;
  }

  /**
   * The newest epoch in the open replicas of the other members. If one of them has what this one
   * has lost, that one says how far the log goes.
   */
  private int newestOfMembers(List<SimNode> members, LogScan scan) {
    int newest = 0;
    for (long s : sim.nameNode().segments(region)) {
      for (SimNode n : members) {
        boolean isOpen = n != store && n.up && sim.nameNode().finishedLength(region, s) < 0;
        SimDisk.Replica r = isOpen ? sim.nameNode().readable(n, region, s) : null;
        LogRecord head = r == null ? null : sim.reader(r, region, s).next();
        newest = Math.max(newest, scan.epochOf(head));
      }
    }
    return newest;
  }

  /** The length up to which a replica is valid, in bytes. */
  static long validLength(Simulation sim, SimDisk.Replica replica, RegionId region, long segment) {
    LogReader reader = new LogReader(replica, region, segment, sim.signer());
    while (reader.next() != null) {
      continue;
    }
    return reader.end();
  }

  boolean hasBrokenOff() {
    return brokeOff;
  }

  /** Reads what this server has where its replica was. False if that breaks off. */
  private boolean lookAtLeft(long segment, String left, List<SimNode> members, LogScan found) {
    Map<String, LogReader> replicas = elsewhere(segment, members);
    SimReach way = reach.to(sim.node(left));
    SimDisk.Replica there = sim.nameNode().readable(way.store(), region, segment);
    if (there == null || !way.store().up || !way.mayRead()) {
      replicas.remove(left);
      found.left(segment, replicas);
      return true;
    }
    LogReader reader = sim.reader(way.reading(there, there.length()), region, segment);
    replicas.put(left, reader);
    found.left(segment, replicas);
    return reader.isReadThrough();
  }

  /** Stops the writers of the holders' replicas, and reads these and others elsewhere. */
  private void lookAtHolders(long segment, LogScan found) {
    Set<String> answered = new TreeSet<>();
    List<String> holders = link.holders().stream().map(Member::dataNode).toList();
    for (SimNode n : sim.othersUp(store)) {
      if (holders.contains(n.name) && !n.broken) {
        n.floors().fence(sim.nameNode().name(region, segment));
        answered.add(n.name);
      }
    }
    Map<String, LogReader> replicas = elsewhere(segment, List.of());
    replicas.keySet().removeIf(n -> link.dataNodes().contains(n) && !answered.contains(n));
    found.holders(segment, answered, replicas);
  }

  /** Whether a recovery has left behind the replicas of holders, and nobody has another one. */
  private boolean isOnlyLeftBehind(long segment) {
    List<SimNode> others = sim.othersUp(store);
    return others.stream().noneMatch(n -> sim.nameNode().replica(n, region, segment) != null)
        && others.stream().anyMatch(n -> n.disk(region).segments.containsKey(segment));
  }

  /** Tells the own DataNode how far a replica is valid, and that a recovery follows. */
  private void keep(long segment, long valid) {
    store.floors().found(sim.nameNode().name(region, segment), link.epoch(), valid);
  }

  /**
   * Looks at the own replica of an agreed segment, behind what the scan has found valid. If it is
   * equal, the own DataNode gives it no other stamp. Null if the network does not let it be read.
   */
  OwnReplica own(SegmentEnd s) {
    long finished = sim.nameNode().finishedLength(region, s.segment());
    SimDisk.Replica own = sim.nameNode().readable(store, region, s.segment());
    if (finished >= 0) {
      return new OwnReplica(s.segment(), true, finished, finished);
    } else if (!reach.mayRead()) {
      return null;
    } else if (own == null) {
      return new OwnReplica(s.segment(), false, OwnReplica.ABSENT, 0);
    }
    LogReader reader =
        sim.reader(reach.reading(own, own.length()), region, s.segment())
            .resume(scanned.get(s.segment()));
    if (!reader.reaches(s.length()) && !reader.isReadThrough()) {
      return null;
    }
    OwnReplica found = new OwnReplica(s.segment(), false, own.length(), reader.end());
    if (!MemberRules.PAPER.isEqual(s, found)) {
      keep(s.segment(), reader.end());
      return found;
    }
    String name = sim.nameNode().name(region, s.segment());
    store.floors().keepStamp(name, link.epoch(), reader.end(), own.stamp, own.stamp);
    return found;
  }

  private Map<String, LogReader> elsewhere(long segment, List<SimNode> members) {
    Map<String, LogReader> readers = new TreeMap<>();
    for (SimNode n : sim.othersUp(store)) {
      SimDisk.Replica replica = sim.nameNode().readable(n, region, segment);
      if (replica != null && !members.contains(n)) {
        readers.put(n.name, sim.reader(replica, region, segment));
      }
    }
    return readers;
  }

  /**
   * Reads the log as a server does before it joins. Of the open segment it reads what is certified
   * by now.
   */
  void readAhead(KnownLog known) {
    for (long segment : sim.nameNode().segments(region)) {
      long length = sim.nameNode().finishedLength(region, segment);
      if (length < 0) {
        readOpen(segment, known::read);
        return;
      }
      if (!replay(new SegmentEnd(segment, length), null, known::read)) {
        return;
      }
    }
  }

  /**
   * Hands over the records of a segment of this length, starting at a mark. Returns false when no
   * replica has them all.
   */
  boolean replay(SegmentEnd s, LogReader.Mark from, Consumer<LogRecord> each) {
    turned.remove(s.segment());
    List<SimNode> others = new ArrayList<>(sim.othersUp(store));
    LogReader reader =
        sim.reader((at, into) -> read(s.segment(), at, into), region, s.segment()).resume(from);
    if (sim.nameNode().finishedLength(region, s.segment()) >= 0) {
      reader.withoutPayloads();
    }
    while (reader.end() < s.length()) {
      LogRecord record = reader.next();
      if (record != null) {
        each.accept(record);
      } else {
        if (others.isEmpty()) {
          return false;
        }
        turned.put(s.segment(), others.remove(0));
      }
    }
    return true;
  }

  /**
   * Hands over the records of an open segment that are certified by now. They come from the first
   * readable replica elsewhere.
   */
  void readOpen(long segment, Consumer<LogRecord> each) {
    for (SimNode n : sim.othersUp(store)) {
      SimDisk.Replica replica = sim.nameNode().readable(n, region, segment);
      if (replica == null) {
        continue;
      }
      LogReader reader = sim.reader(replica, region, segment);
      for (LogRecord r = reader.next(); r != null; r = reader.next()) {
        each.accept(r);
      }
      if (reader.end() > 0) {
        return;
      }
    }
  }

  /** Reads from a segment's replica. */
  boolean read(long segment, long position, ByteBuffer into) {
    SimNode from = turned.getOrDefault(segment, store);
    return (from != store || reach.mayRead()) && read(from, segment, position, into);
  }

  private boolean read(SimNode from, long segment, long position, ByteBuffer into) {
    SimDisk.Replica r =
        from.cutOff
            ? from.disk(region).segments.get(segment) // as it was opened before
            : sim.nameNode().readable(from, region, segment);
    return r != null && r.read(position, into);
  }

  /** All replicas of a segment, the own one first. */
  List<LogReader.Source> sources(long segment) {
    List<LogReader.Source> sources = new ArrayList<>();
    sources.add((at, into) -> reach.mayRead() && read(store, segment, at, into));
    sim.othersUp(store).forEach(n -> sources.add((at, into) -> read(n, segment, at, into)));
    return sources;
  }

  /** The checkpoints, each read from whichever replica is whole. */
  List<CheckpointReader> checkpoints(List<Long> ids) {
    List<CheckpointReader> readers = new ArrayList<>();
    ids.forEach(
        id ->
            readers.add(
                new CheckpointWithSegments(
                    new AnyReplica(id), this::sources, sim.spec.blockSize())));
    return readers;
  }

  /** Reads the replicas one after the other, the own one first. */
  private final class AnyReplica extends ReplicatedReader {
    private final long id;

    AnyReplica(long id) {
      this.id = id;
    }

    @Override
    protected <T> T ask(Question<T> question) throws UnreadableException {
      List<SimNode> places = new ArrayList<>(sim.othersUp(store));
      if (reach.mayRead()) {
        places.add(0, store);
      }
      UnreadableException last = new UnreadableException("there is no replica");
      for (SimNode n : places) {
        SimCheckpoint c = n.disk(region).checkpoints.get(id);
        if (c != null && !n.broken) {
          try {
            return question.ask(c);
          } catch (UnreadableException damaged) {
            last = damaged;
          }
        }
      }
      throw new UnreadableException(
          "no replica of checkpoint " + id + " of region " + region.index() + " is whole", last);
    }
  }
}
