package org.salus.benchmarks.faults.history;

import java.util.Comparator;
import java.util.List;

/**
 * What was observed.
 *
 * @param millis from the fault to the next acknowledged writes, -1 when none were within the cell's
 *     patience
 * @param note what was remarkable, or empty
 */
public record Verdict(GetVerdict get, PutVerdict put, long millis, String note) {

  /**
   * Of all reads under the fault, and after it by a client that knows nothing. Later ones are
   * worse.
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

  /** Of the state that a new client finds. Later ones are worse. */
  public enum PutVerdict {
    /** The state after a prefix of the issued writes, with every acknowledged one. */
    ORDERED("ordered"),
    /** There is none to be read. */
    REFUSED("refused"),
    /** A prefix, without some acknowledged writes. */
    LOST("LOST"),
    /** No prefix. */
    NOT_ORDERED("NOT ORDERED"),
    /** With bytes that nobody wrote there. */
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

  /** Nothing that is not so was handed out, and what is left is a prefix. */
  public boolean isHonest() {
    return get.compareTo(GetVerdict.STALE) < 0 && put.compareTo(PutVerdict.NOT_ORDERED) < 0;
  }

  /** All that is promised with at most two of three faulty. */
  public boolean isWhole() {
    return get == GetVerdict.FRESH && put == PutVerdict.ORDERED && isLive();
  }

  /** The worst of all in each respect. */
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
