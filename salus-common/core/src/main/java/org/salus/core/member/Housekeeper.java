package org.salus.core.member;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.checkpoint.CheckpointWriter;
import org.salus.core.compaction.BuildBody;
import org.salus.core.compaction.BuiltBody;
import org.salus.core.compaction.Checkpoint;
import org.salus.core.compaction.Checkpoints;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Built;
import org.salus.core.tree.Hashes;
import org.salus.core.wire.MalformedException;

/**
 * Flush and compaction (paper §4.2.3). M0 proposes a build by rule (BUILD). Every member makes the
 * checkpoint by itself and tells M0 its length, CRC and root. If all are the same, M0 proposes to
 * agree on it (BUILT). A flush runs beside compactions, which may take long, so writes need not
 * wait for these. A compaction ends only between flushes, because they read what it has merged.
 */
final class Housekeeper {
  /**
   * The least number of neighbours to merge while the region is written. The more are merged at
   * once, the less often a block is copied.
   */
  private static final int WORTH_IT = 8;

  /** The number of live checkpoints from which any allowed compaction is done. */
  private static final int MANY = 32;

  /** The number of live checkpoints from which flushes wait for compactions under way. */
  private static final int MOST = 64;

  /**
   * The number of periods in which a new epoch puts waiting requests before early flushes and
   * compactions.
   */
  private static final int FIRST_PERIODS = 10;

  private final RegionContext c;
  private final RecordRelay relay;
  private final SegmentRoller roller;
  private final Map<Long, Build> builds = new TreeMap<>();
  private Position lastNext;
  private boolean idle;

  /** The number of periods for which the epoch has served. */
  private int periods;

  /** A checkpoint that is being built. */
  private static final class Build {
    /** The BUILD record; null until it is written here. */
    Entry entry;

    /**
     * The members' results, by place in the chain. Only M0 has all of them; others have their own.
     */
    final Map<Integer, Built> built = new TreeMap<>();

    boolean differs;
  }

  Housekeeper(RegionContext c, RecordRelay relay, SegmentRoller roller) {
    this.c = c;
    this.relay = relay;
    this.roller = roller;
  }

  /**
   * At M0: ends the builds that all members have done and begins what is due. While the region is
   * written, it begins only what must not wait.
   */
  void consider() {
    if (!c.isPrimary() || !c.serving) {
      return;
    }
    Checkpoints checkpoints = c.log.checkpoints();
    checkpoints.building().stream()
        .filter(BuildBody::isFlush)
        .forEach(this::proposeIfAllBuilt); // compactions wait for flushes
    checkpoints.building().forEach(this::proposeIfAllBuilt);
    int count = checkpoints.live().size();
    boolean settled = periods >= FIRST_PERIODS;
    if (idle || settled || count >= MOST) {
      propose(checkpoints.compaction(idle || count >= MANY ? 1 : WORTH_IT));
    }
    long unflushed = c.unflushed();
    long most = c.config.maxLiveSegments();
    boolean wanted = idle || unflushed + 1 >= most || unflushed * 2 >= most && settled;
    boolean waits =
        count >= MOST && checkpoints.isCompacting()
            || checkpoints.building().stream().anyMatch(this::isBuiltByAll);
    if (wanted && !waits && !checkpoints.isFlushing()) {
      propose(c.log.nextFlush(c.segments));
    }
  }

  private void propose(BuildBody due) {
    if (due != null && roller.makeRoomForControl() == null && c.log.check(due, c.segments)) {
      relay.propose(LogRecord.Type.BUILD, due.encode());
    }
  }

  /** Handles a BUILD record that is certified and written here. */
  void onBuildDurable(Entry e) {
    BuildBody b = read(e);
    Build build = c.log.checkpoints().isBuilding(b.checkpoint()) ? build(b.checkpoint()) : null;
    if (build == null || build.entry != null) {
      return; // the build has ended, or the event is a repetition
    }
    build.entry = e;
    createFile(b, build);
    List<Long> newestFirst = c.log.checkpoints().newestFirst();
    if (b.isFlush()) {
      c.out.add(
          new MemberEffect.Flush(
              b.checkpoint(), b.segment(), c.index.snapshot(b.segment()), newestFirst));
    } else {
      List<Long> inputs = newestFirst.stream().filter(b.inputs()::contains).toList();
      boolean oldest = newestFirst.get(newestFirst.size() - 1).equals(b.inputs().get(0));
      c.out.add(
          new MemberEffect.Compact(b.checkpoint(), c.log.checkpoints().level(b), inputs, oldest));
    }
  }

  private static BuildBody read(Entry e) {
    try {
      return BuildBody.decode(e.record.content());
    } catch (MalformedException x) {
      throw new IllegalStateException("checked record " + e.record + " cannot be read", x);
    }
  }

  private Build build(long checkpoint) {
    return builds.computeIfAbsent(checkpoint, id -> new Build());
  }

  private void createFile(BuildBody b, Build build) {
    if (c.isPrimary() && build != null && build.entry != null) {
      c.out.add(
          new MemberEffect.CreateCheckpoint(
              b.checkpoint(),
              mostBytes(b),
              build.entry.record.permission(build.entry.certificate)));
    }
  }

  /**
   * An upper bound for the checkpoint's length, in bytes. HDFS reserves as much, and takes no block
   * of less than a MiB.
   */
  private long mostBytes(BuildBody b) {
    return (b.isFlush() ? c.index.size(b.segment()) * 256L : mostMerged(b)) + (1 << 20);
  }

  /** A merged file has no more than its inputs and their segments, and no block twice. */
  private long mostMerged(BuildBody b) {
    long all = 0;
    for (long id : b.inputs()) {
      Checkpoint input = c.log.checkpoints().byId(id);
      all += input.length() + (input.level() == 0 ? mostData(input) : 0);
    }
    return Math.min(all, CheckpointWriter.mostBytes(c.spec.regionBlocks(), c.spec.blockSize()));
  }

  /** The most bytes of data of a checkpoint whose blocks are in a segment. */
  private long mostData(Checkpoint flushed) {
    long blocks = flushed.length() / Hashes.BYTES; // each has its leaf hash in the file
    return Math.min(c.spec.segmentBytes(), blocks * c.spec.blockSize());
  }

  /** Handles this member's own checkpoint, which is finished and on disk. */
  void onBuilt(long checkpoint, long length, int crc, CheckpointBuilder.Roots roots) {
    for (BuildBody b : c.log.checkpoints().building()) {
      if (b.checkpoint() == checkpoint) {
        Built mine = new Built(c.epoch, c.place, checkpoint, length, crc, rootWith(b, roots));
        build(checkpoint).built.put(c.place, mine);
        tell(mine);
      }
    }
  }

  private byte[] rootWith(BuildBody b, CheckpointBuilder.Roots roots) {
    if (b.isFlush()) {
      c.index.setRoots(roots);
      return c.index.checkpointRoot();
    }
    return c.log.checkpoints().byId(b.inputs().get(b.inputs().size() - 1)).root();
  }

  private void tell(Built mine) {
    if (c.isPrimary()) {
      consider();
    } else {
      c.out.send(c.member(0), mine);
    }
  }

  /** At M0: takes what another member has built. */
  void onBuilt(Built other) {
    if (c.isPrimary() && c.log.checkpoints().isBuilding(other.checkpoint())) {
      build(other.checkpoint()).built.put(other.lane(), other);
      consider();
    }
  }

  private boolean isBuiltByAll(BuildBody b) {
    return build(b.checkpoint()).built.size() == c.members.size();
  }

  private void proposeIfAllBuilt(BuildBody b) {
    Build build = build(b.checkpoint());
    if (!isBuiltByAll(b) || build.differs) {
      return;
    }
    Built mine = build.built.get(c.place);
    if (build.built.values().stream().anyMatch(other -> !same(mine, other))) {
      build.differs = true;
      int odd = build.built.size() > 2 ? odd(build) : -1;
      String who = odd < 0 ? "one of the members" : c.members.get(odd);
      c.out.add(
          new MemberEffect.Suspect(
              odd,
              who
                  + " built another checkpoint "
                  + b.checkpoint()
                  + " than the others: "
                  + text(build)));
      return;
    }
    BuiltBody body = new BuiltBody(describe(b, mine), b.inputs());
    if (c.log.check(body) && roller.makeRoomForControl() == null) {
      relay.propose(LogRecord.Type.BUILT, body.encode());
      builds.remove(b.checkpoint());
    }
  }

  /** Describes what each member has built, for an error message. */
  private String text(Build build) {
    return build.built.values().stream()
        .map(
            b ->
                String.format(
                    "%s %d bytes with CRC %08x and root %s",
                    c.members.get(b.lane()),
                    b.length(),
                    b.crc(),
                    HexFormat.of().formatHex(b.root(), 0, 4)))
        .collect(Collectors.joining(", "));
  }

  /** The place of the last member with whom no majority agrees, or -1. */
  private static int odd(Build build) {
    int odd = -1;
    for (Built b : build.built.values()) {
      long agree = build.built.values().stream().filter(other -> same(b, other)).count();
      odd = 2 * agree <= build.built.size() ? b.lane() : odd;
    }
    return odd;
  }

  private static boolean same(Built a, Built b) {
    return a.length() == b.length() && a.crc() == b.crc() && Arrays.equals(a.root(), b.root());
  }

  private Checkpoint describe(BuildBody b, Built mine) {
    if (b.isFlush()) {
      return new Checkpoint(
          b.checkpoint(), 0, b.segment(), b.segment(), mine.length(), mine.crc(), mine.root());
    }
    Checkpoint first = c.log.checkpoints().byId(b.inputs().get(0));
    Checkpoint last = c.log.checkpoints().byId(b.inputs().get(b.inputs().size() - 1));
    int level = Checkpoints.level(mine.length(), c.spec.segmentBytes());
    return new Checkpoint(
        b.checkpoint(), level, first.first(), last.last(), mine.length(), mine.crc(), mine.root());
  }

  /**
   * Whether this is the checkpoint that this member has built itself, and the build may end now.
   */
  boolean isMine(BuiltBody body) {
    long id = body.checkpoint().id();
    Built mine = builds.containsKey(id) ? builds.get(id).built.get(c.place) : null;
    return mine != null
        && c.log.check(body)
        && c.log.checkpoints().building().stream()
            .anyMatch(
                b ->
                    b.checkpoint() == id
                        && Arrays.equals(
                            new BuiltBody(describe(b, mine), b.inputs()).encode(), body.encode()));
  }

  /** Forgets the builds that have ended. The chain calls it after each record. */
  void forgetEnded() {
    builds.keySet().removeIf(id -> !c.log.checkpoints().isBuilding(id));
  }

  /** Repeats what may have been lost, and notes whether the region is written. */
  void onTick() {
    periods += c.serving ? 1 : 0;
    idle = c.next.equals(lastNext);
    lastNext = c.next;
    for (BuildBody b : c.log.checkpoints().building()) {
      Build build = builds.get(b.checkpoint()); // none when it has ended meanwhile
      Built mine = build == null ? null : build.built.get(c.place);
      if (mine != null) {
        tell(mine);
      } else {
        createFile(b, build);
      }
    }
    consider();
  }
}
