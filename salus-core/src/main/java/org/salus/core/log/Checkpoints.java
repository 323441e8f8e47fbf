package org.salus.core.log;

import java.util.ArrayList;
import java.util.List;

/**
 * The live checkpoints of a region, as the log's prefix says: which there are, which is being built, and by which rule
 * the next is chosen (paper §4.2.3). At a time one flush, and of each level one compaction, so that none that is short waits for
 * one that is long.
 */
public final class Checkpoints {
  /** Checkpoints that a compaction merges. */
  static final int FAN_IN = 4;

  private List<Checkpoint> live = List.of();
  private long next = 1;
  private List<BuildBody> building = List.of();
  /** What the rule asks for, null for nothing. */
  private BuildBody compaction;

  /** Oldest first. */
  public List<Checkpoint> live() {
    return live;
  }

  /** The numbers of the live ones, newest first: the order in which a block is looked up. */
  public List<Long> newestFirst() {
    List<Long> ids = new ArrayList<>();
    for (int i = live.size() - 1; i >= 0; i--) {
      ids.add(live.get(i).id());
    }
    return List.copyOf(ids);
  }

  public Checkpoint byId(long id) {
    return live.stream().filter(c -> c.id() == id).findFirst().orElse(null);
  }

  /** The last segment whose content is in a checkpoint, 0 when there is none. */
  public long lastFlushed() {
    return Checkpoint.lastSegment(live);
  }

  /** Whether the blocks of this segment, which is flushed, are not compacted: then their data is in no other file. */
  public boolean areIn(long segment) {
    return live.stream().anyMatch(c -> c.level() == 0 && c.first() == segment);
  }

  /** What is being built. */
  public List<BuildBody> building() {
    return building;
  }

  /** Whether the checkpoint with this number is being built. */
  public boolean isBuilding(long checkpoint) {
    return building.stream().anyMatch(b -> b.checkpoint() == checkpoint);
  }

  public boolean isFlushing() {
    return building.stream().anyMatch(BuildBody::isFlush);
  }

  public boolean isCompacting() {
    return !building.stream().allMatch(BuildBody::isFlush);
  }

  private boolean isCompacting(int level) {
    return building.stream().anyMatch(b -> !b.isFlush() && level(b) == level);
  }

  /** Of what a compaction merges; a flush makes checkpoints of level 0. */
  public int level(BuildBody compaction) {
    return byId(compaction.inputs().get(0)).level();
  }

  /** Every number below was given away. */
  public long next() {
    return next;
  }

  /** The flush of a segment. */
  public BuildBody flush(long segment) {
    return new BuildBody(next, segment, List.of());
  }

  /**
   * The compaction that the rule asks for, or null: of the oldest {@link #FAN_IN} neighbours of the lowest level that has so
   * many and is not being compacted. The oldest, for one that is left behind would never have neighbours of its level again.
   */
  public BuildBody compaction() {
    return compaction;
  }

  private BuildBody rule() {
    List<Integer> levels = live.stream().map(Checkpoint::level).distinct().sorted().toList();
    for (int level : levels) {
      List<Long> run = isCompacting(level) ? null : oldestRun(level);
      if (run != null) {
        return new BuildBody(next, 0, run);
      }
    }
    return null;
  }

  private List<Long> oldestRun(int level) {
    for (int end = FAN_IN; end <= live.size(); end++) {
      List<Checkpoint> run = live.subList(end - FAN_IN, end);
      if (run.stream().allMatch(c -> c.level() == level)) {
        return run.stream().map(Checkpoint::id).toList();
      }
    }
    return null;
  }

  void apply(BuildBody b) {
    List<BuildBody> now = new ArrayList<>(building);
    now.add(b);
    set(live, Math.max(next, b.checkpoint() + 1), List.copyOf(now));
  }

  void apply(BuiltBody b) {
    List<Checkpoint> now = new ArrayList<>();
    for (Checkpoint c : live) {
      if (!b.inputs().contains(c.id())) {
        now.add(c);
      } else if (c.id() == b.inputs().get(0)) {
        now.add(b.checkpoint());
      }
    }
    if (b.inputs().isEmpty()) {
      now.add(b.checkpoint());
    }
    List<BuildBody> others = building.stream().filter(other -> other.checkpoint() != b.checkpoint().id()).toList();
    set(now, Math.max(next, b.checkpoint().id() + 1), others);
  }

  void set(List<Checkpoint> checkpoints, long nextId, List<BuildBody> underWay) {
    live = List.copyOf(checkpoints);
    next = nextId;
    building = underWay;
    compaction = rule();
  }

  /** Builds of the epoch before were cut off: their numbers are not used again. */
  void abandonBuilds() {
    set(live, next, List.of());
  }
}
