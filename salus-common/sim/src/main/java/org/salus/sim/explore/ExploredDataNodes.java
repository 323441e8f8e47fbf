package org.salus.sim.explore;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Endpoint;
import org.salus.core.effect.MemberEffect;
import org.salus.core.effect.ReadAssembly;
import org.salus.core.log.LogBefore;
import org.salus.core.log.LogReader;
import org.salus.core.log.LogRecord;
import org.salus.core.log.LogRules;
import org.salus.core.log.SegmentEnd;
import org.salus.core.message.Message.GetReply;
import org.salus.core.recovery.OwnReplica;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.RrsRecord.Member;
import org.salus.core.scan.LogScan;
import org.salus.sim.explore.automaton.MemberAutomaton;
import org.salus.sim.explore.automaton.Note;
import org.salus.sim.explore.automaton.Parcel;

/** The work of the DataNodes, on the numbers of things. Results are remembered. */
final class ExploredDataNodes {

  /** How much of an append reached the disk. */
  enum Part {
    NONE,
    TORN,
    ALL
  }

  private record Key(int disk, int thing, int more) {}

  private final ExploredCluster cluster;
  private final Map<Key, Integer> appended = new HashMap<>();
  private final Map<Integer, Integer> durable = new HashMap<>();
  private final Map<Key, ExploredDisk.Valid> valid = new HashMap<>();
  private final Map<Key, int[]> told = new HashMap<>();
  private final Map<Key, Integer> retained = new HashMap<>();
  private final Map<List<Integer>, Integer> scanned = new HashMap<>();

  ExploredDataNodes(ExploredCluster cluster) {
    this.cluster = cluster;
  }

  ExploredDisk disk(int number) {
    return (ExploredDisk) cluster.catalog.thing(number);
  }

  /** The disk after an append or a part of it. */
  int append(int disk, int append, Part part) {
    return appended.computeIfAbsent(
        new Key(disk, append, part.ordinal()),
        k -> {
          MemberEffect.Append a = (MemberEffect.Append) cluster.catalog.thing(append);
          byte[] bytes = bytes(a);
          byte[] reached =
              part == Part.ALL
                  ? bytes
                  : Arrays.copyOf(bytes, part == Part.TORN ? bytes.length / 2 : 0);
          return cluster.catalog.number(
              disk(disk)
                  .append(
                      a.at().segment(), a.at().offset(), reached, a.sync() && part == Part.ALL));
        });
  }

  /** The disk with these segments only. */
  int retain(int disk, Set<Long> named) {
    return retained.computeIfAbsent(
        new Key(disk, set(named), 0), k -> cluster.catalog.number(disk(disk).retain(named)));
  }

  /** Segments of a small world as the bits of a number. */
  static int set(Set<Long> segments) {
    int set = 0;
    for (long s : segments) {
      set |= 1 << s;
    }
    return set;
  }

  /** The event that an append is done. */
  int durable(int append) {
    return durable.computeIfAbsent(
        append,
        k -> {
          MemberEffect.Append a = (MemberEffect.Append) cluster.catalog.thing(append);
          return cluster.catalog.number(new MemberAutomaton.Durable(a.at().plus(bytes(a).length)));
        });
  }

  static byte[] bytes(MemberEffect.Append a) {
    ByteBuffer b = ByteBuffer.allocate(a.bytes().stream().mapToInt(ByteBuffer::remaining).sum());
    a.bytes().forEach(x -> b.put(x.duplicate()));
    return b.array();
  }

  ExploredDisk.Valid valid(int disk, int region, long segment) {
    return valid.computeIfAbsent(
        new Key(disk, region, (int) segment),
        k -> disk(disk).valid(cluster.spec.regionId(region), segment, cluster.signer));
  }

  /** Reports to the checkers what an append brought. */
  void tellAppended(World w, int member, int before, int after, long segment) {
    int region = member / World.SEATS;
    int known = valid(before, region, segment).records().size();
    List<LogRecord> now = valid(after, region, segment).records();
    if (known < now.size()) {
      int[] notes = notes(w, member, after, segment);
      for (int i = known; i < now.size(); i++) {
        cluster.tell(w, notes[i]);
      }
    }
  }

  private int[] notes(World w, int member, int disk, long segment) {
    int region = member / World.SEATS;
    int who = member | w.seats[member] << 5 | w.homes[member] << 20;
    return told.computeIfAbsent(
        new Key(disk, who, (int) segment),
        k ->
            valid(disk, region, segment).records().stream()
                .mapToInt(
                    r ->
                        cluster.catalog.number(
                            new Note.OnDisk(
                                ExploredCluster.nodeName(w.homes[member]),
                                ExploredCluster.lanes(w, member),
                                r)))
                .toArray());
  }

  /** Replicas were changed behind the members' backs, so the checkers read all of them again. */
  void changed(World w) {
    cluster.tell(w, new Note.DisksReset());
    for (int member = 0; member < w.homes.length; member++) {
      if (w.isAlive(member) && member % World.SEATS != World.UNAWARE) {
        int disk = w.disk(member / World.SEATS, w.homes[member]);
        for (long segment : disk(disk).segments().keySet()) {
          for (int note : notes(w, member, disk, segment)) {
            cluster.tell(w, note);
          }
        }
      }
    }
  }

  /** The answer to a GET from this disk. */
  Parcel serve(int disk, MemberEffect.ServeGet g, Endpoint from) {
    ReadAssembly read = new ReadAssembly(g, cluster.spec.blockSize());
    ExploredDisk d = disk(disk);
    boolean ok =
        read.run(
            (segment, offset, into) ->
                d.segments().containsKey(segment) && d.segments().get(segment).read(offset, into),
            List.of());
    return new Parcel(
        from,
        g.to(),
        new GetReply(g.id(), g.lane(), read.zeroBits(), 0, !ok),
        ok ? read.data() : null);
  }

  /**
   * The event that a member has read its log, and what it may read of others', or {@link
   * World#NONE} if that is not whole.
   */
  int scan(World w, int member, EpochLink link, EpochRegister known) {
    int region = member / World.SEATS;
    int own = w.homes[member];
    List<Integer> key =
        new ArrayList<>(
            List.of(w.links[region], w.registers[region], own, w.files[region], w.stores));
    for (int n = 0; n < w.nodes; n++) {
      key.add(w.disk(region, n));
    }
    return scanned.computeIfAbsent(
        key,
        k -> {
          LogScan.Found found = read(w, own, link, known.before());
          return found == null
              ? World.NONE
              : cluster.catalog.number(new MemberAutomaton.Scanned(found));
        });
  }

  private LogScan.Found read(World w, int own, EpochLink link, LogBefore before) {
    int region = link.region().index();
    String name = ExploredCluster.nodeName(own);
    Member self = new Member(name, w.starts[own], name);
    boolean joins = !link.isHolder(self);
    int others = w.stores & ~(1 << own);
    LogScan scan = new LogScan(link, before, self);
    for (int n : ExploredCluster.nodes(w.files[region])) {
      long segment = n;
      if (scan.skips(segment)) {
        continue;
      }
      ExploredDisk.Replica mine = disk(w.disk(region, own)).segments().get(segment);
      if (link.rebuilds()) {
        int holders = ExploredMaster.set(link.holderNodes()) & others;
        scan.holders(
            segment,
            new TreeSet<>(
                ExploredCluster.nodes(holders).stream().map(ExploredCluster::nodeName).toList()),
            readers(w, region, segment, holders));
      }
      if (mine != null) {
        scan.open(reader(region, segment, mine), mine.bytes().length, null);
      } else {
        int outside = others & ~ExploredMaster.set(link.nodes());
        boolean looks = joins && !link.rebuilds();
        scan.missing(segment, null, false, looks ? readers(w, region, segment, outside) : Map.of());
      }
    }
    int newest = joins ? 0 : newest(w, region, ExploredMaster.set(link.nodes()) & others, scan);
    return scan.mayTakePart(newest, LogRules.PAPER) ? scan.found() : null;
  }

  /** The newest epoch that has served in the replicas of these nodes. */
  private int newest(World w, int region, int nodes, LogScan scan) {
    return ExploredCluster.nodes(w.files[region]).stream()
        .flatMap(segment -> readers(w, region, segment, nodes).values().stream())
        .map(LogReader::next)
        .mapToInt(scan::epochOf)
        .max()
        .orElse(0);
  }

  private Map<String, LogReader> readers(World w, int region, long segment, int nodes) {
    Map<String, LogReader> readers = new TreeMap<>();
    for (int n : ExploredCluster.nodes(nodes)) {
      ExploredDisk.Replica r = disk(w.disk(region, n)).segments().get(segment);
      if (r != null) {
        readers.put(ExploredCluster.nodeName(n), reader(region, segment, r));
      }
    }
    return readers;
  }

  private LogReader reader(int region, long segment, ExploredDisk.Replica r) {
    return new LogReader(r, cluster.spec.regionId(region), segment, cluster.signer);
  }

  MemberAutomaton.Replayed replay(int disk, int region, MemberEffect.ReplayLog log) {
    List<LogRecord> all = new ArrayList<>();
    if (log.from() != null) {
      throw new IllegalStateException("members of small worlds know nothing of the epochs before");
    }
    for (SegmentEnd s : log.segments()) {
      ExploredDisk.Valid v = valid(disk, region, s.segment());
      if (v.end() < s.length()) {
        throw new IllegalStateException("recovered segment " + s + " ends at " + v.end());
      }
      all.addAll(v.records());
    }
    return new MemberAutomaton.Replayed(
        all, log.agreed().stream().map(s -> own(disk, region, s.segment())).toList());
  }

  private OwnReplica own(int disk, int region, long segment) {
    ExploredDisk.Replica r = disk(disk).segments().get(segment);
    return r == null
        ? new OwnReplica(segment, false, OwnReplica.ABSENT, 0)
        : new OwnReplica(segment, false, r.bytes().length, valid(disk, region, segment).end());
  }
}
