package org.salus.host.zk;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * How far a server's check of the replicas on its DataNode is, and what it found. Times in ms since
 * 1970. Immutable.
 *
 * @param passes that are through
 * @param began when the pass under way began, or the last one; 0: none has
 * @param ended when the last pass ended; before {@code began} while one is under way
 * @param after file that was checked last in the pass; the pass goes on behind it
 * @param passFiles files checked in the pass
 * @param passBytes bytes of them
 * @param bytes bytes checked ever
 * @param bad bad replicas found ever
 * @param repaired of them, replaced by good ones
 * @param findings oldest first: what is not repaired, for it is still to be dealt with, and the
 *     last ones that were
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

  /** Many more would not fit into a node of ZooKeeper. */
  private static final int MOST_UNSETTLED = 1000;

  /** Nothing is checked yet. */
  public static final ScrubRecord NONE = new ScrubRecord(0, 0, 0, "", 0, 0, 0, 0, 0, List.of());

  /**
   * A bad replica.
   *
   * @param path of its file in HDFS
   * @param what is wrong with it, and what became of it
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

  /** A pass begins. */
  public ScrubRecord begin(long now) {
    return new ScrubRecord(passes, now, ended, "", 0, 0, bytes, bad, repaired, findings);
  }

  /** A file of the pass is done; so many bytes were read. */
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

  /** The pass is through. */
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

  /** The file's replica is good, or there is none any more. */
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
   * A bad replica was found; the newest finding of a file takes the place of older ones, and one
   * that lasts counts once.
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
