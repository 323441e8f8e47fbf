package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The state of a server's scrub, and what it found. Times are in ms since 1970. Immutable.
 *
 * @param passes number of finished passes
 * @param began the time at which the running or last pass began; 0 for none
 * @param ended the time at which the last pass ended; before {@code began} while one runs
 * @param after the last file that the pass has checked; it goes on behind it
 * @param passFiles number of files checked in the pass
 * @param passBytes bytes checked in the pass
 * @param bytes bytes checked in all passes
 * @param bad bad replicas found in all passes
 * @param repaired how many of them were replaced by good ones
 * @param findings the unrepaired bad replicas (at most 1000) and the last 20 repaired ones, oldest
 *     first
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record ScrubRecord(
    long passes,
    long began,
    long ended,
    String after,
    long passFiles,
    long passBytes,
    long bytes,
    long bad,
    long repaired,
    List<Finding> findings) {
  private static final int MOST_REPAIRED = 20;

  /** Most unrepaired findings that are kept; many more would not fit into a ZooKeeper node. */
  private static final int MOST_UNSETTLED = 1000;

  /** Nothing is checked yet. */
  public static final ScrubRecord NONE = new ScrubRecord(0, 0, 0, "", 0, 0, 0, 0, 0, List.of());

  /**
   * A bad replica.
   *
   * @param at the time at which it was found, in ms since 1970
   * @param path the file's path in HDFS
   * @param repaired whether it was replaced by a good one
   * @param what what is wrong with it, and what became of it
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  public record Finding(long at, String path, boolean repaired, String what) {}

  /** Copies the findings. */
  public ScrubRecord {
    findings = List.copyOf(findings);
  }

  /** Whether a pass is under way. */
  public boolean running() {
    return began > ended;
  }

  /** The record after a pass has begun. */
  public ScrubRecord begin(long now) {
    return new ScrubRecord(passes, now, ended, "", 0, 0, bytes, bad, repaired, findings);
  }

  /** The record after a file of the pass was checked, for which {@code read} bytes were read. */
  public ScrubRecord checked(String path, long read) {
    return new ScrubRecord(
        passes,
        began,
        ended,
        path,
        passFiles + 1,
        passBytes + read,
        bytes + read,
        bad,
        repaired,
        findings);
  }

  /** The record after the pass has ended. */
  public ScrubRecord end(long now) {
    return new ScrubRecord(
        passes + 1,
        began,
        Math.max(now, began),
        "",
        passFiles,
        passBytes,
        bytes,
        bad,
        repaired,
        findings);
  }

  /** The record after the file's replica was found good or gone. */
  public ScrubRecord settled(String path) {
    List<Finding> next =
        findings.stream().filter(f -> f.repaired() || !f.path().equals(path)).toList();
    return new ScrubRecord(
        passes, began, ended, after, passFiles, passBytes, bytes, bad, repaired, next);
  }

  /** The files whose replica is bad and not repaired yet. */
  public List<String> unsettled() {
    return findings.stream().filter(f -> !f.repaired()).map(Finding::path).toList();
  }

  /**
   * The record after a bad replica was found. The newest finding of a file replaces older ones; a
   * replica that stays bad counts once.
   */
  public ScrubRecord found(Finding f) {
    List<Finding> next = new ArrayList<>(findings);
    boolean known = unsettled().contains(f.path());
    next.removeIf(old -> old.path().equals(f.path()));
    next.add(f);
    dropOldest(next, true, MOST_REPAIRED);
    dropOldest(next, false, MOST_UNSETTLED);
    return new ScrubRecord(
        passes,
        began,
        ended,
        after,
        passFiles,
        passBytes,
        bytes,
        bad + (known ? 0 : 1),
        repaired + (f.repaired() ? 1 : 0),
        next);
  }

  private static void dropOldest(List<Finding> all, boolean repaired, int most) {
    long tooMany = all.stream().filter(f -> f.repaired() == repaired).count() - most;
    for (Iterator<Finding> i = all.iterator(); tooMany > 0; ) {
      if (i.next().repaired() == repaired) {
        i.remove();
        tooMany--;
      }
    }
  }
}
