package org.salus.sim.explore;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.salus.core.RegionId;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRules;
import org.salus.core.log.ManifestBody;
import org.salus.core.log.Permission;
import org.salus.core.log.SegmentEnd;
import org.salus.core.path.FilePath;
import org.salus.core.replacement.EpochLink;
import org.salus.core.replacement.EpochRegister;
import org.salus.core.replacement.EpochRules;
import org.salus.core.replacement.WrittenManifest;
import org.salus.core.wire.MalformedException;
import org.salus.sim.check.Checker;
import org.salus.sim.check.NoSpuriousChange;
import org.salus.sim.check.Violation;
import org.salus.sim.explore.automaton.Note;

/**
 * The NameNode: it knows the files and each region's chain of epochs. A recovery is one step, so
 * there are no stamps.
 */
final class ExploredNameNode {
  private final ExploredCluster cluster;
  private final NoSpuriousChange changes;
  private final Map<List<Integer>, Answer> answers = new HashMap<>();

  private record Answer(int register, int note, String refusal) {}

  ExploredNameNode(ExploredCluster cluster) {
    this.cluster = cluster;
    this.changes = new NoSpuriousChange(cluster.signer);
  }

  // ---- epochs ----

  EpochRegister register(World w, int region) {
    return (EpochRegister) cluster.catalog.thing(w.registers[region]);
  }

  /** Takes the word of a member that its epoch opens. Returns why it changes nothing, or null. */
  String opens(World w, int region) {
    EpochLink link = (EpochLink) cluster.catalog.thing(w.links[region]);
    return take(w, region, w.links[region], EpochRegister.opens(link));
  }

  private String take(World w, int region, int thing, byte[] word) {
    EpochRegister before = register(w, region);
    Answer a =
        answers.computeIfAbsent(
            List.of(region, w.registers[region], thing),
            k -> {
              EpochRegister.Answer x =
                  before.take(
                      word,
                      cluster.spec.regionId(region),
                      Map.of(),
                      cluster.epochRules(),
                      cluster.signer);
              return new Answer(
                  cluster.catalog.number(x.register()),
                  cluster.catalog.number(new Note.EpochKnown(region, before, x.register(), word)),
                  x.refusal());
            });
    if (a.register != w.registers[region]) {
      w.registers = World.with(w.registers, region, a.register);
      cluster.tell(w, a.note);
    }
    return a.refusal;
  }

  /** Whether a member is of the newest epoch that is known. */
  private boolean isKnown(World w, int member) {
    EpochLink newest = register(w, member / World.SEATS).newest();
    return newest != null && newest.epoch() == w.epochOf(member);
  }

  boolean isFenced(World w, int member) {
    return w.epochOf(member) < w.fenced[member / World.SEATS];
  }

  // ---- files ----

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
    EpochLink newest = register(w, region.index()).newest();
    List<String> members = newest.nodes();
    String what = deed + " of segment " + segment + " of region " + region.index();
    try {
      Permission p =
          WrittenManifest.permission(deed, permission, newest, EpochRules.PAPER, cluster.signer)
              .orElseThrow(
                  () -> new Violation("P5 no spurious change", what + " without all words"));
      changes.fileChanged(
          new Checker.FileChange(
              region, deed, FilePath.Kind.LOG, segment, before, p, epoch, members));
      if (!deed.fits(before)
          || !p.allows(deed, region, FilePath.Kind.LOG, segment, 0, epoch, members, cluster.signer)
          || !LogRules.PAPER.isInTurn(
              deed, FilePath.Kind.LOG, segment, p, segments(w, region.index()))) {
        throw new Violation("P5 no spurious change", what + " with " + p.record());
      }
    } catch (MalformedException e) {
      throw new Violation("P5 no spurious change", what + " without a permission");
    }
  }

  private static List<Long> segments(World w, int region) {
    return ExploredCluster.nodes(w.files[region]).stream().map(Integer::longValue).toList();
  }

  boolean createSegment(World w, int member, MemberEffect.CreateSegment c) {
    int region = member / World.SEATS;
    if (!isKnown(w, member)) {
      return false;
    }
    if ((w.files[region] >> c.segment() & 1) == 0) {
      change(w, member, Permission.Deed.CREATE, c.segment(), c.permission());
      w.files = World.with(w.files, region, w.files[region] | 1 << c.segment());
    }
    return true;
  }

  /** Gives every member the bytes of a valid replica. Replicas elsewhere stay as they are. */
  boolean recover(World w, int member, MemberEffect.RecoverSegments r) {
    if (!isKnown(w, member)) {
      return false;
    }
    int region = member / World.SEATS;
    w.fenced = World.with(w.fenced, region, w.epochOf(member));
    int members = members(w, region);
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
  boolean register(World w, int member, int effect) {
    int region = member / World.SEATS;
    MemberEffect.RegisterEpoch r = (MemberEffect.RegisterEpoch) cluster.catalog.thing(effect);
    boolean isNews = !register(w, region).isServing();
    if (take(w, region, effect, EpochRegister.serves(r.proof())) != null) {
      return false;
    }
    if (!isNews) {
      return true;
    }
    TreeSet<Long> counted = new TreeSet<>();
    for (SegmentEnd s : ManifestBody.shown(r.permission()).segments()) {
      change(w, member, Permission.Deed.LEAVE_BEHIND, s.segment(), r.proof().encode());
      counted.add(s.segment());
    }
    int members = members(w, region);
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

  /** The members of the newest epoch that is known. */
  private int members(World w, int region) {
    return ExploredMaster.set(register(w, region).newest().nodes());
  }

  private byte[] good(World w, int region, int members, SegmentEnd s) {
    for (int nodes : new int[] {members, w.stores & ~members}) {
      for (int n : ExploredCluster.nodes(nodes)) {
        int disk = w.disk(region, n);
        if (cluster.disks.valid(disk, region, s.segment()).end() >= s.length()) {
          return Arrays.copyOf(
              cluster.disks.disk(disk).segments().get(s.segment()).bytes(), (int) s.length());
        }
      }
    }
    throw new Violation("P3 prefix", "no replica of region " + region + " holds " + s);
  }

  /** Deletes everywhere the files that a manifest lets go of. */
  void tidy(World w, int member, MemberEffect.Tidy t) {
    if (!isKnown(w, member)) {
      return;
    }
    int region = member / World.SEATS;
    for (long s : segments(w, region)) {
      if (t.manifest().discards(s, t.segment())) {
        change(w, member, Permission.Deed.DELETE, s, t.permission());
        w.files = World.with(w.files, region, w.files[region] & ~(1 << s));
      }
    }
    for (int n = 0; n < w.nodes; n++) {
      ExploredDisk d = cluster.disks.disk(w.disk(region, n));
      TreeSet<Long> stay = new TreeSet<>(d.segments().keySet());
      stay.removeIf(s -> t.manifest().discards(s, t.segment()));
      w.setDisk(region, n, cluster.disks.retain(w.disk(region, n), stay));
    }
  }
}
