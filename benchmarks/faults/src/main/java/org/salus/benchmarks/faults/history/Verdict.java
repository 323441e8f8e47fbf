package org.salus.benchmarks.faults.history;

import java.util.Comparator;
import java.util.List;

/**
 * What was seen of one cell.
 *
 * @param millis from the fault to the next acknowledged writes, -1 when none were within the cell's
 *     patience
 * @param note a remark for people, or empty
 */
public record Verdict(GetVerdict get, PutVerdict put, long millis, String note) {

  /**
   * What reads returned: those under the fault, and those of a new client after it. Later constants
   * are worse.
   */
  public enum GetVerdict {
    FRESH("fresh"),
    SOME_REFUSED("fresh*"),
    REFUSED("refused"),
    STALE("STALE"),
    CORRUPTED("CORRUPTED");

    private final String label;

    GetVerdict(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /** What the state is that a new client finds. Later constants are worse. */
  public enum PutVerdict {
    /** The state after a prefix of the issued writes, with every acknowledged one. */
    ORDERED("ordered"),
    /** No state can be read. */
    REFUSED("refused"),
    /** The state after a prefix that lacks some acknowledged writes. */
    LOST("LOST"),
    /** The state is that of no prefix. */
    NOT_ORDERED("NOT ORDERED"),
    /** The state has bytes that nobody wrote there. */
    CORRUPTED("CORRUPTED");

    private final String label;

    PutVerdict(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  public boolean isLive() {
    return millis >= 0;
  }

  /** Whether nothing wrong was handed out, and the state that is left is that of a prefix. */
  public boolean isHonest() {
    return get.compareTo(GetVerdict.STALE) < 0 && put.compareTo(PutVerdict.NOT_ORDERED) < 0;
  }

  /** Whether all is kept that is promised while at most two of three are faulty. */
  public boolean isWhole() {
    return get == GetVerdict.FRESH && put == PutVerdict.ORDERED && isLive();
  }

  /** The worst of all verdicts in each respect. */
  public static Verdict worst(List<Verdict> all) {
    GetVerdict get =
        all.stream().map(Verdict::get).max(Comparator.naturalOrder()).orElse(GetVerdict.FRESH);
    PutVerdict put =
        all.stream().map(Verdict::put).max(Comparator.naturalOrder()).orElse(PutVerdict.ORDERED);
    boolean live = all.stream().allMatch(Verdict::isLive);
    long millis = live ? all.stream().mapToLong(Verdict::millis).max().orElse(0) : -1;
    return new Verdict(
        get,
        put,
        millis,
        String.join(
            "; ", all.stream().map(Verdict::note).filter(n -> !n.isEmpty()).distinct().toList()));
  }

  @Override
  public String toString() {
    return get
        + ", "
        + put
        + ", "
        + (isLive() ? "live (" + millis + " ms)" : "not live")
        + (note.isEmpty() ? "" : ": " + note);
  }
}
