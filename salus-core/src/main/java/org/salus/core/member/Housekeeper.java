package org.salus.core.member;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.salus.core.checkpoint.CheckpointBuilder;
import org.salus.core.effect.Effect;
import org.salus.core.log.BuildBody;
import org.salus.core.log.BuiltBody;
import org.salus.core.log.Checkpoint;
import org.salus.core.log.Checkpoints;
import org.salus.core.log.LogRecord;
import org.salus.core.log.Position;
import org.salus.core.message.Message.Built;

/**
 * Flush and compaction (paper §4.2.3): M0 proposes a build by rule (BUILD), every member makes the checkpoint by itself and
 * tells M0 what it got, and when all are the same that is agreed on (BUILT). One build at a time.
 */
final class Housekeeper {
  /** With so many checkpoints compactions do not wait for a quiet time, and take turns with flushes. */
  private static final int MANY = 12;
  /** For so many periods an epoch first does what has waited for it to begin. */
  private static final int FIRST_PERIODS = 10;

  private final RegionContext c;
  private final ChainMember chain;
  private final SegmentRoller roller;
  /** What the members built, by place in the chain; at M0 of all, else only the own. */
  private final Map<Integer, Built> built = new TreeMap<>();
  private Entry build;
  private boolean differs;
  private Position lastNext;
  private boolean idle;
  /** That the epoch has served. */
  private int periods;
  private boolean compactedLast;

  Housekeeper(RegionContext c, ChainMember chain, SegmentRoller roller) {
    this.c = c;
    this.chain = chain;
    this.roller = roller;
  }

  /** At M0: begins what is due; while the region is written only what must be. */
  void consider() {
    Checkpoints checkpoints = c.log.checkpoints();
    if (!c.isPrimary() || !c.serving || checkpoints.building() != null) {
      return;
    }
    boolean many = checkpoints.live().size() >= MANY;
    long live = c.liveSegments();
    long most = c.config.maxLiveSegments();
    boolean wanted = idle || live + 1 >= most || live * 2 >= most && periods >= FIRST_PERIODS;
    BuildBody flush = wanted ? c.log.nextFlush(c.segments) : null;
    BuildBody compaction = idle || many ? checkpoints.compaction() : null;
    boolean compact = flush == null || many && compaction != null && !compactedLast;
    BuildBody due = compact ? compaction : flush;
    if (due != null && roller.makeRoomForControl() == null && c.log.checkpoints().building() == null) {
      compactedLast = compact;
      chain.propose(LogRecord.Type.BUILD, due.encode());
    }
  }

  /** The build is agreed on and logged. */
  void onBuildDurable(Entry e) {
    BuildBody b = c.log.checkpoints().building();
    if (b == null || !Arrays.equals(b.encode(), e.record.content()) || build != null && build.record.at().equals(e.record.at())) {
      return; // over by now, or a repetition
    }
    build = e;
    createFile(b);
    List<Long> newestFirst = c.log.checkpoints().newestFirst();
    if (b.isFlush()) {
      c.out.add(new Effect.Flush(b.checkpoint(), b.segment(), c.index.snapshot(b.segment()), newestFirst));
    } else {
      List<Long> inputs = newestFirst.stream().filter(b.inputs()::contains).toList();
      boolean oldest = newestFirst.get(newestFirst.size() - 1).equals(b.inputs().get(0));
      c.out.add(new Effect.Compact(b.checkpoint(), inputs, oldest));
    }
  }

  private void createFile(BuildBody b) {
    if (c.isPrimary()) {
      c.out.add(new Effect.CreateCheckpoint(b.checkpoint(), mostBytes(b), build.record.permission(build.certificate)));
    }
  }

  /** No checkpoint of this input is longer. */
  private long mostBytes(BuildBody b) {
    long input = 0;
    for (long id : b.inputs()) {
      input += c.log.checkpoints().byId(id).length();
    }
    long blocks = b.isFlush() ? c.index.size(b.segment()) : 0;
    long data = b.isFlush() ? c.spec.segmentBytes() : input;
    return data + data / 4 + blocks * 256 + (1 << 20);
  }

  /** This member's own checkpoint is written and on disk. */
  void onBuilt(long checkpoint, long length, int crc, CheckpointBuilder.Roots roots) {
    BuildBody b = c.log.checkpoints().building();
    if (b == null || b.checkpoint() != checkpoint) {
      return;
    }
    byte[] root;
    if (b.isFlush()) {
      c.index.setRoots(roots);
      root = c.index.checkpointRoot();
    } else {
      root = c.log.checkpoints().byId(b.inputs().get(b.inputs().size() - 1)).root();
    }
    Built mine = new Built(c.epoch, c.place, checkpoint, length, crc, root);
    built.put(c.place, mine);
    tell(mine);
  }

  private void tell(Built mine) {
    if (c.isPrimary()) {
      proposeIfAllBuilt();
    } else {
      c.out.send(c.member(0), mine);
    }
  }

  /** At M0: another member has built. */
  void onBuilt(Built other) {
    BuildBody b = c.log.checkpoints().building();
    if (c.isPrimary() && b != null && b.checkpoint() == other.checkpoint()) {
      built.put(other.lane(), other);
      proposeIfAllBuilt();
    }
  }

  private void proposeIfAllBuilt() {
    Built mine = built.get(c.place);
    if (mine == null || built.size() < c.members.size() || differs) {
      return;
    }
    if (built.values().stream().anyMatch(other -> !same(mine, other))) {
      differs = true;
      int odd = built.size() > 2 ? odd() : -1;
      String who = odd < 0 ? "one of the members" : c.members.get(odd);
      c.out.add(new Effect.Suspect(odd, who + " built another checkpoint " + mine.checkpoint() + " than the others: " + text()));
      return;
    }
    if (roller.makeRoomForControl() == null) {
      chain.propose(LogRecord.Type.BUILT, new BuiltBody(describe(mine), c.log.checkpoints().building().inputs()).encode());
    }
  }

  /** What each member has built. */
  private String text() {
    return built.values().stream()
        .map(b -> String.format("%s %d bytes with CRC %08x and root %s", c.members.get(b.lane()), b.length(), b.crc(), HexFormat.of().formatHex(b.root(), 0, 4)))
        .collect(Collectors.joining(", "));
  }

  /** Of three or more, the last member with whom no majority agrees. */
  private int odd() {
    int odd = -1;
    for (Built b : built.values()) {
      long agree = built.values().stream().filter(other -> same(b, other)).count();
      odd = 2 * agree <= built.size() ? b.lane() : odd;
    }
    return odd;
  }

  private static boolean same(Built a, Built b) {
    return a.length() == b.length() && a.crc() == b.crc() && Arrays.equals(a.root(), b.root());
  }

  private Checkpoint describe(Built mine) {
    BuildBody b = c.log.checkpoints().building();
    if (b.isFlush()) {
      return new Checkpoint(b.checkpoint(), 0, b.segment(), b.segment(), mine.length(), mine.crc(), mine.root());
    }
    Checkpoint first = c.log.checkpoints().byId(b.inputs().get(0));
    Checkpoint last = c.log.checkpoints().byId(b.inputs().get(b.inputs().size() - 1));
    return new Checkpoint(b.checkpoint(), first.level() + 1, first.first(), last.last(), mine.length(), mine.crc(), mine.root());
  }

  /** Whether this is what this member has built itself. */
  boolean isMine(BuiltBody body) {
    Built mine = built.get(c.place);
    return c.log.checkpoints().building() != null && mine != null
        && Arrays.equals(new BuiltBody(describe(mine), c.log.checkpoints().building().inputs()).encode(), body.encode());
  }

  /** The checkpoint is agreed on. */
  void apply(BuiltBody body) {
    c.log.apply(body);
    c.flushed();
    built.clear();
    build = null;
    differs = false;
  }

  /** Repeats what may have been lost, and sees whether the region is written. */
  void onTick() {
    periods += c.serving ? 1 : 0;
    idle = c.next.equals(lastNext);
    lastNext = c.next;
    if (build == null) {
      consider();
      return;
    }
    Built mine = built.get(c.place);
    if (mine != null) {
      tell(mine);
    } else if (c.log.checkpoints().building() != null) {
      createFile(c.log.checkpoints().building());
    }
  }
}
