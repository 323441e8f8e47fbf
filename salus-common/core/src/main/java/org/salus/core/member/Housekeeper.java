package org.salus.core.member;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.MemberEffect;
import org.salus.core.log.BuildBody;
import org.salus.core.log.BuiltBody;
import org.salus.core.log.Checkpoint;
import org.salus.core.log.Checkpoints;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Built;
import org.salus.core.wire.MalformedException;

/**
 * Flush and compaction (paper §4.2.3): M0 proposes a build by rule (BUILD), every member makes the
 * checkpoint by itself and tells M0 what it got, and when all are the same that is agreed on
 * (BUILT). A flush goes on beside compactions, which may take long, so that writes need not wait
 * for them; and a compaction ends between flushes, for they read what it has merged.
 */
final class Housekeeper {
  /**
   * So many neighbours are merged though the region is written: the more at a time, the less often
   * a block is copied.
   */
  private static final int WORTH_IT = 8;

  /** With so many checkpoints each compaction is worth it. */
  private static final int MANY = 32;

  /** With so many flushes wait for compactions, if there are any to do. */
  private static final int MOST = 64;

  /** For so many periods an epoch first does what has waited for it to begin. */
  private static final int FIRST_PERIODS = 10;

  private final RegionContext c;
  private final RecordRelay relay;
  private final SegmentRoller roller;
  private final Map<Long, Build> builds = new TreeMap<>();
  private Position lastNext;
  private boolean idle;

  /** That the epoch has served. */
  private int periods;

  /** A checkpoint that is being built. */
  private static final class Build {
    /** The BUILD record, null as long as it is not durable here. */
    Entry entry;

    /** What the members built, by place in the chain; at M0 of all, else only the own. */
    final Map<Integer, Built> built = new TreeMap<>();

    boolean differs;
  }

  Housekeeper(RegionContext c, RecordRelay relay, SegmentRoller roller) {
    this.c = c;
    this.relay = relay;
    this.roller = roller;
  }

  /**
   * At M0: ends what all have built, and begins what is due; while the region is written only what
   * must be.
   */
  void consider() {
    if (!c.isPrimary() || !c.serving) {
      return;
    }
    Checkpoints checkpoints = c.log.checkpoints();
    checkpoints.building().stream()
        .filter(BuildBody::isFlush)
        .forEach(this::proposeIfAllBuilt); // compactions wait for it
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

  /** The build is agreed on and logged. */
  void onBuildDurable(Entry e) {
    BuildBody b = read(e);
    Build build = c.log.checkpoints().isBuilding(b.checkpoint()) ? build(b.checkpoint()) : null;
    if (build == null || build.entry != null) {
      return; // over by now, or a repetition
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

  /** No checkpoint of this input is longer. */
  private long mostBytes(BuildBody b) {
    return (b.isFlush() ? c.index.size(b.segment()) * 256L : mostData(b) * 5 / 4) + (1 << 20);
  }

  /** Of a compaction: what its inputs have, or all blocks of the region. */
  private long mostData(BuildBody b) {
    long data = 0;
    for (long id : b.inputs()) {
      Checkpoint input = c.log.checkpoints().byId(id);
      data += input.length() + (input.level() == 0 ? c.spec.segmentBytes() : 0);
    }
    return Math.min(data, c.spec.regionBlocks() * c.spec.blockSize());
  }

  /** This member's own checkpoint is written and on disk. */
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

  /** At M0: another member has built. */
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

  /** What each member has built. */
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

  /** Of three or more, the last member with whom no majority agrees. */
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

  /** Whether this is what this member has built itself, and may end now. */
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

  /** A record came down the chain: what this member has built may be agreed on by now. */
  void forgetEnded() {
    builds.keySet().removeIf(id -> !c.log.checkpoints().isBuilding(id));
  }

  /** Repeats what may have been lost, and sees whether the region is written. */
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
