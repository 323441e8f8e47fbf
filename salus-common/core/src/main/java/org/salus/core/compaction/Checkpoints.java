package org.salus.core.compaction;

import java.util.ArrayList;
import java.util.List;

/**
 * The live checkpoints of a region, the builds under way, and the rule by which the next is chosen
 * (paper §4.2.3). All follow from the log's prefix. One flush runs at a time, and one compaction of
 * each level, so that a short one never waits for a long one. Not thread-safe.
 *
 * <p>A level is a size class. Neighbours of one level are merged. The oldest checkpoint of all is
 * merged with them as soon as it is not much larger. It holds what the others have overwritten,
 * which takes space until then.
 */
public final class Checkpoints {
  /**
   * The least number of neighbours of a level that a compaction merges. It is also the greatest
   * ratio of data between a level and the one below.
   */
  public static final int FAN_IN = 4;

  /**
   * The most segments of data in a checkpoint of level 1. It leaves room above what the smallest
   * compaction of full segments makes.
   */
  private static final int FIRST_LEVEL = 2 * FAN_IN;

  private CheckpointSet now = CheckpointSet.NONE;

  /** The compactions that the rule allows now. */
  private List<BuildBody> compactions = List.of();

  /** The live checkpoints and the builds under way. */
  public CheckpointSet now() {
    return now;
  }

  /** The live checkpoints, oldest first. */
  public List<Checkpoint> live() {
    return now.live();
  }

  /** The numbers of the live checkpoints, newest first: the order in which a block is looked up. */
  public List<Long> newestFirst() {
    List<Long> ids = new ArrayList<>();
    for (int i = live().size() - 1; i >= 0; i--) {
      ids.add(live().get(i).id());
    }
    return List.copyOf(ids);
  }

  public Checkpoint byId(long id) {
    return live().stream().filter(c -> c.id() == id).findFirst().orElse(null);
  }

  /** The last segment whose content is in a checkpoint, 0 when there is none. */
  public long lastFlushed() {
    return now.lastFlushed();
  }

  /**
   * Whether the blocks of this flushed segment are not compacted yet. Their data is then in no
   * other file.
   */
  public boolean areIn(long segment) {
    return live().stream().anyMatch(c -> c.level() == 0 && c.first() == segment);
  }

  /** The builds that are under way. */
  public List<BuildBody> building() {
    return now.building();
  }

  /** Whether the checkpoint with this number is being built. */
  public boolean isBuilding(long checkpoint) {
    return building().stream().anyMatch(b -> b.checkpoint() == checkpoint);
  }

  public boolean isFlushing() {
    return building().stream().anyMatch(BuildBody::isFlush);
  }

  public boolean isCompacting() {
    return !building().stream().allMatch(BuildBody::isFlush);
  }

  private boolean isCompacting(int level) {
    return building().stream().anyMatch(b -> !b.isFlush() && level(b) == level);
  }

  private boolean isInput(Checkpoint c) {
    return building().stream().anyMatch(b -> b.inputs().contains(c.id()));
  }

  /**
   * The highest level that a compaction merges, the oldest checkpoint of all aside. Flushes make
   * checkpoints of level 0.
   */
  public int level(BuildBody compaction) {
    return byId(compaction.inputs().get(compaction.inputs().size() - 1)).level();
  }

  /**
   * The level, from 1 on, of a merged checkpoint by its size and the segment size, both in bytes.
   */
  public static int level(long bytes, long segmentBytes) {
    int level = 1;
    for (long most = FIRST_LEVEL * segmentBytes; bytes > most; most *= FAN_IN) {
      level++;
    }
    return level;
  }

  /** The number of the next checkpoint. All numbers below are taken. */
  public long next() {
    return now.next();
  }

  /** A BUILD that flushes a segment, with the next number. */
  public BuildBody flush(long segment) {
    return new BuildBody(next(), segment, List.of());
  }

  /**
   * The compactions that the rule allows, lowest level first: one of each level that is not being
   * compacted. A compaction merges the oldest {@link #FAN_IN} or more neighbours, up to the last
   * one of the level. It also merges older ones of lower levels among them: one left behind would
   * be searched for ever. If only the oldest checkpoint of all is older, and at most one level
   * above, it is merged too.
   */
  public List<BuildBody> compactions() {
    return compactions;
  }

  /** The compaction of the lowest level that merges at least this many neighbours, or null. */
  public BuildBody compaction(int atLeast) {
    return compactions.stream().filter(b -> b.inputs().size() >= atLeast).findFirst().orElse(null);
  }

  private List<BuildBody> rule() {
    return live().stream()
        .map(Checkpoint::level)
        .distinct()
        .sorted()
        .filter(level -> !isCompacting(level))
        .map(this::oldestRun)
        .filter(run -> !run.isEmpty())
        .map(run -> new BuildBody(next(), 0, run.stream().map(Checkpoint::id).toList()))
        .toList();
  }

  private List<Checkpoint> oldestRun(int level) {
    List<Checkpoint> live = live();
    int begin = 0;
    int end = 0; // the index after the last one of the level
    for (int i = 0; i < live.size(); i++) {
      Checkpoint c = live.get(i);
      if (c.level() > level || isInput(c)) {
        if (end - begin >= FAN_IN) {
          break;
        }
        begin = i + 1;
        end = begin;
      } else if (c.level() == level) {
        end = i + 1;
      }
    }
    if (end - begin < FAN_IN) {
      return List.of();
    }
    boolean withOldest =
        begin == 1
            && live.get(0).level()
                <= level + 1; // were it being merged, its neighbours would be too
    return live.subList(withOldest ? 0 : begin, end);
  }

  public void apply(BuildBody b) {
    List<BuildBody> underWay = new ArrayList<>(building());
    underWay.add(b);
    set(live(), Math.max(next(), b.checkpoint() + 1), underWay);
  }

  public void apply(BuiltBody b) {
    List<Checkpoint> live = new ArrayList<>();
    for (Checkpoint c : live()) {
      if (!b.inputs().contains(c.id())) {
        live.add(c);
      } else if (c.id() == b.inputs().get(0)) {
        live.add(b.checkpoint());
      }
    }
    if (b.inputs().isEmpty()) {
      live.add(b.checkpoint());
    }
    List<BuildBody> others =
        building().stream().filter(other -> other.checkpoint() != b.checkpoint().id()).toList();
    set(live, Math.max(next(), b.checkpoint().id() + 1), others);
  }

  private void set(List<Checkpoint> live, long next, List<BuildBody> building) {
    set(new CheckpointSet(List.copyOf(live), next, List.copyOf(building)));
  }

  public void set(CheckpointSet other) {
    now = other;
    compactions = rule();
  }

  /** Drops the builds of the epoch before, which were cut off. Their numbers are not used again. */
  public void abandonBuilds() {
    set(live(), next(), List.of());
  }
}
