package org.salus.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.Endpoint;
import org.salus.core.Lanes;
import org.salus.core.RegionId;
import org.salus.core.VolumeSpec;
import org.salus.core.effect.Effect;
import org.salus.core.member.MemberConfig;
import org.salus.core.member.RegionMember;
import org.salus.core.message.Message.SegmentEnd;

/** The master, which chooses the members of every epoch, and the NameNode, which knows the files. */
final class SimMaster {
  private final Simulation sim;
  private final VolumeSpec spec;
  private final SimOptions options;
  private final Random random;
  private final List<SimNode> nodes;
  /** No epoch has fewer members. */
  private final int minMembers;
  private final Map<RegionId, TreeSet<Long>> files = new TreeMap<>();
  private final Map<RegionId, TreeSet<Long>> checkpointFiles = new TreeMap<>();
  private final Map<Integer, List<SimNode>> rrs = new TreeMap<>();
  /** Who has all of a region's data: the members of the last epoch that served, but for those that later ones left out. */
  private final Map<Integer, List<SimNode>> holders = new TreeMap<>();
  private final TreeMap<Integer, Integer> serving = new TreeMap<>();
  private final TreeMap<Integer, Integer> servingMembers = new TreeMap<>();
  private final Set<SimNode> distrusted = new HashSet<>();
  private final TreeSet<Integer> waiting = new TreeSet<>();
  private final int[] epochs;
  /** The epoch that recovered a region's log last. */
  private final int[] fenced;

  SimMaster(Simulation sim, VolumeSpec spec, List<SimNode> nodes, SimOptions options, Random random) {
    this.sim = sim;
    this.spec = spec;
    this.nodes = nodes;
    this.options = options;
    this.random = random;
    this.minMembers = 1 + random.nextInt(2);
    this.epochs = new int[spec.regionCount()];
    this.fenced = new int[spec.regionCount()];
  }

  TreeSet<Long> files(RegionId r) {
    return files.computeIfAbsent(r, k -> new TreeSet<>());
  }

  TreeSet<Long> checkpointFiles(RegionId r) {
    return checkpointFiles.computeIfAbsent(r, k -> new TreeSet<>());
  }

  TreeMap<Integer, Integer> servingEpochs() {
    return serving;
  }

  /** Members of the epoch that serves a region, or served it last. */
  int servingMembers(int region) {
    return servingMembers.getOrDefault(region, Lanes.COUNT);
  }

  MemberHost member(Endpoint.Member d) {
    List<SimNode> members = rrs.get(d.region().index());
    return members == null ? null : members.get(Lanes.member(d.lane(), members.size())).members.get(d.region());
  }

  // ---- epochs ----

  void openAll() {
    for (int r = 0; r < spec.regionCount(); r++) {
      open(r);
    }
  }

  /** The next epoch of a region: those that have its data, and perhaps others; or it waits for one of them. */
  void open(int region) {
    List<SimNode> old = rrs.getOrDefault(region, List.of());
    old.forEach(n -> n.stop(spec.regionId(region), sim.now()));
    List<SimNode> running = holders.getOrDefault(region, firstMembers(region)).stream().filter(n -> n.up).toList();
    List<SimNode> trusted = running.stream().filter(n -> !distrusted.contains(n)).toList();
    List<SimNode> having = trusted.isEmpty() ? running : trusted;
    List<SimNode> members = new ArrayList<>(having);
    List<SimNode> others = new ArrayList<>(nodes.stream().filter(n -> n.up && !distrusted.contains(n) && !having.contains(n)).toList());
    Collections.shuffle(others, random);
    boolean fill = random.nextBoolean();
    while (members.size() < Lanes.COUNT && !others.isEmpty() && (fill || members.size() < minMembers)) {
      members.add(others.remove(0));
    }
    serving.remove(region);
    if (having.isEmpty() || members.size() < minMembers) {
      sim.trace("region " + region + " waits for servers");
      waiting.add(region);
      return;
    }
    waiting.remove(region);
    Collections.shuffle(members, random);
    holders.put(region, having);
    rrs.put(region, members);
    start(region, members);
  }

  private void start(int region, List<SimNode> members) {
    RegionId id = spec.regionId(region);
    epochs[region]++;
    List<String> names = members.stream().map(n -> n.name).toList();
    sim.trace("open region " + region + " epoch " + epochs[region] + " " + names);
    for (int i = 0; i < members.size(); i++) {
      SimNode n = members.get(i);
      RegionMember m = options.members().make(spec, id, epochs[region], names, i, sim.signer(), new MemberConfig(Simulation.RESEND, 4));
      n.members.put(id, new MemberHost(sim, n, id, epochs[region], i, Lanes.of(i, members.size()), m, new Random(random.nextLong())));
    }
    members.forEach(n -> n.members.get(id).start());
  }

  private List<SimNode> firstMembers(int region) {
    List<SimNode> chosen = new ArrayList<>();
    for (int i = 0; i < Lanes.COUNT; i++) {
      chosen.add(nodes.get((region + i) % nodes.size()));
    }
    return chosen;
  }

  /** A member has begun to serve. */
  boolean serves(MemberHost m) {
    int region = m.region.index();
    if (m.epoch != epochs[region] || waiting.contains(region)) {
      return false;
    }
    serving.put(region, m.epoch);
    servingMembers.put(region, rrs.get(region).size());
    holders.put(region, rrs.get(region));
    return true;
  }

  /** A server is gone, or was and is back: the epochs that it was in are over. */
  void lost(SimNode node) {
    rrs.forEach((region, members) -> {
      if (members.contains(node)) {
        open(region);
      }
    });
  }

  /** A member differs from the others: the region goes on without its node, or with a third that can tell who is right. */
  void suspect(MemberHost by, Effect.Suspect x) {
    int region = by.region.index();
    if (!isCurrent(by) || !rrs.get(region).contains(by.node)) {
      return;
    }
    if (x.place() >= 0) {
      SimNode node = rrs.get(region).get(x.place());
      if (!node.name.equals(options.faulty())) {
        throw new Violation("P4 unanimity", "with no fault of its own " + node.name + " is suspected: " + x.what());
      }
      sim.trace("region " + region + " goes on without " + node.name + ": " + x.what());
      distrusted.add(node);
    }
    open(region);
  }

  /** There are more servers than there were. */
  void found() {
    for (int r = 0; r < spec.regionCount(); r++) {
      if (waiting.contains(r) || rrs.get(r).size() < Lanes.COUNT) {
        open(r);
      }
    }
  }

  // ---- HDFS ----

  private boolean isCurrent(MemberHost m) {
    return m.epoch == epochs[m.region.index()];
  }

  /** Whether a later epoch has fenced this member's replicas. */
  boolean isFenced(MemberHost m) {
    return m.epoch < fenced[m.region.index()];
  }

  /** Only with a certificate of the current epoch. */
  boolean createSegment(MemberHost by, long segment) {
    if (isCurrent(by)) {
      files(by.region).add(segment);
    }
    return isCurrent(by);
  }

  /** Only with a certificate of the current epoch. */
  void createCheckpoint(MemberHost by, long id) {
    if (isCurrent(by)) {
      checkpointFiles(by.region).add(id);
    }
  }

  /** Every member gets the bytes of a valid replica; files that are not named go, and so do replicas elsewhere. */
  boolean recover(MemberHost by, List<SegmentEnd> segments) {
    if (!isCurrent(by)) {
      return false;
    }
    RegionId id = by.region;
    fenced[id.index()] = by.epoch;
    List<SimNode> members = rrs.get(id.index());
    TreeSet<Long> named = new TreeSet<>();
    for (SegmentEnd s : segments) {
      named.add(s.segment());
      byte[] good = null;
      for (SimNode n : members) {
        if (by.validLength(n.disk(id), s.segment()) >= s.length()) {
          good = n.disk(id).segment(s.segment()).prefix(s.length());
        }
      }
      if (good == null) {
        throw new Violation("P3 prefix", "no replica of " + id + " holds " + s);
      }
      for (SimNode n : members) {
        n.disk(id).segment(s.segment()).set(good);
      }
    }
    files(id).retainAll(named);
    TreeMap<Long, SimCheckpoint> checkpoints = new TreeMap<>();
    holders.get(id.index()).forEach(n -> checkpoints.putAll(n.disk(id).checkpoints));
    for (SimNode n : nodes) {
      SimDisk disk = n.disk(id);
      if (members.contains(n)) {
        disk.segments.keySet().retainAll(named);
        checkpoints.forEach(disk.checkpoints::putIfAbsent);
      } else {
        disk.segments.clear();
        disk.checkpoints.clear();
      }
    }
    sim.disksChanged();
    return true;
  }

  /** The files that a manifest lets go of are deleted everywhere. */
  void tidy(MemberHost by, Effect.Tidy t) {
    if (!isCurrent(by)) {
      return;
    }
    files(by.region).removeIf(s -> t.manifest().discards(s, t.segment()));
    checkpointFiles(by.region).removeIf(t.manifest()::discardsCheckpoint);
    for (SimNode n : nodes) {
      n.disk(by.region).segments.keySet().removeIf(s -> t.manifest().discards(s, t.segment()));
      n.disk(by.region).checkpoints.keySet().removeIf(t.manifest()::discardsCheckpoint);
    }
  }
}
