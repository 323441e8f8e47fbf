package org.salus.core.log;

import java.util.ArrayList;
import java.util.List;

/**
 * The live checkpoints of a region, as the log's prefix says: which there are, which is being
 * built, and by which rule the next is chosen (paper §4.2.3). At a time one flush, and of each
 * level one compaction, so that none that is short waits for one that is long.
 *
 * <p>A level is a size. Neighbours of one level are merged, and the oldest checkpoint of all with
 * them as soon as it is not much larger: it has what the others have written over, which takes
 * space until then.
 */
public final class Checkpoints {
  /**
   * Neighbours of a level that a compaction merges, at least; and so many times the data of a level
   * has one of the next, at most.
   */
  static final int FAN_IN = 4;

  /**
   * Segments in a checkpoint of level 1, at most: there is room for more than the least that a
   * compaction of full ones makes.
   */
  private static final int FIRST_LEVEL = 2 * FAN_IN;

  private List<Checkpoint> live = List.of();
  private long next = 1;
  private List<BuildBody> building = List.of();

  /** What the rule allows. */
  private List<BuildBody> compactions = List.of();

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

  /**
   * Whether the blocks of this segment, which is flushed, are not compacted: then their data is in
   * no other file.
   */
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

  private boolean isInput(Checkpoint c) {
    return building.stream().anyMatch(b -> b.inputs().contains(c.id()));
  }

  /**
   * Of what a compaction merges, but for the oldest checkpoint of all; a flush makes checkpoints of
   * level 0.
   */
  public int level(BuildBody compaction) {
    return byId(compaction.inputs().get(compaction.inputs().size() - 1)).level();
  }

  /** The level, above 0, of a checkpoint that has so many bytes, where a segment has so many. */
  public static int level(long bytes, long segmentBytes) {
    int level = 1;
    for (long most = FIRST_LEVEL * segmentBytes; bytes > most; most *= FAN_IN) {
      level++;
    }
    return level;
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
   * The compactions that the rule allows, lowest level first, one of each level that is not being
   * compacted: of the oldest {@link #FAN_IN} or more neighbours, up to the last one of the level,
   * together with older ones of lower levels, for one that is left behind would be looked through
   * for ever. Where only the oldest checkpoint of all is older, and at most one level above, it is
   * merged too.
   */
  public List<BuildBody> compactions() {
    return compactions;
  }

  /** The compaction of the lowest level that merges so many neighbours at least, or null. */
  public BuildBody compaction(int atLeast) {
    return compactions.stream().filter(b -> b.inputs().size() >= atLeast).findFirst().orElse(null);
  }

  private List<BuildBody> rule() {
    return live.stream()
        .map(Checkpoint::level)
        .distinct()
        .sorted()
        .filter(level -> !isCompacting(level))
        .map(this::oldestRun)
        .filter(run -> !run.isEmpty())
        .map(run -> new BuildBody(next, 0, run.stream().map(Checkpoint::id).toList()))
        .toList();
  }

  private List<Checkpoint> oldestRun(int level) {
    int begin = 0;
    int end = 0; // behind the last one of the level
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
    List<BuildBody> others =
        building.stream().filter(other -> other.checkpoint() != b.checkpoint().id()).toList();
    set(now, Math.max(next, b.checkpoint().id() + 1), others);
  }

  void set(List<Checkpoint> checkpoints, long nextId, List<BuildBody> underWay) {
    live = List.copyOf(checkpoints);
    next = nextId;
    building = underWay;
    compactions = rule();
  }

  /** Builds of the epoch before were cut off: their numbers are not used again. */
  void abandonBuilds() {
    set(live, next, List.of());
  }
}
