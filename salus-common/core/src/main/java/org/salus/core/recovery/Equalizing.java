package org.salus.core.recovery;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides one attempt to make the replicas of a segment equal (paper §4.4, phase 2):
 *
 * <ol>
 *   <li>It names the DataNodes to ask: those that must have an equal replica, whether or not the
 *       NameNode knows of it, and all others that the NameNode lists.
 *   <li>If one that is required does not answer, the attempt ends before any replica is changed.
 *       The caller asks again later.
 *   <li>It says how far each required replica is cut, and from which ones the rest may be copied.
 *       The others stay as they are: nobody beside them says how far they may be cut, or that they
 *       may get a new stamp. They are left behind if the epoch serves.
 *   <li>If a required one is not equal in the end, the attempt has failed. The NameNode is told
 *       nothing before the epoch serves.
 * </ol>
 *
 * <p>DataNodes are given by name. Not thread-safe.
 */
public final class Equalizing {
  private final Goal goal;
  private final Set<String> asked;

  /** The length of each replica that has answered, in bytes; negative if there is none. */
  private final Map<String, Long> lengths = new TreeMap<>();

  private final Set<String> equal = new TreeSet<>();

  /**
   * @param listed the DataNodes on which the NameNode knows a replica now
   */
  public Equalizing(Goal goal, Collection<String> listed) {
    this.goal = goal;
    this.asked = new LinkedHashSet<>(goal.required());
    asked.addAll(listed);
  }

  /** The DataNodes whose replicas are measured. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  /**
   * A DataNode has answered; one that {@linkplain #takesPart takes part} has stopped its writers.
   *
   * @param length the replica's length in bytes; negative if there is none
   */
  public void answered(String dataNode, long length) {
    lengths.put(dataNode, length);
  }

  /** A DataNode that had answered has failed since. */
  public void failed(String dataNode) {
    lengths.remove(dataNode);
    equal.remove(dataNode);
  }

  /** Whether a DataNode has not answered, or has failed since. Its replica stays as it is. */
  public boolean hasFailed(String dataNode) {
    return !lengths.containsKey(dataNode);
  }

  /** The DataNodes without which the attempt cannot go on: they have not answered, or failed. */
  public Set<String> silent() {
    Set<String> silent = new TreeSet<>(goal.required());
    silent.removeAll(lengths.keySet());
    return silent;
  }

  /** The length in bytes beyond which nothing of this replica is kept. */
  public long end(String dataNode) {
    return Math.min(goal.length(), goal.valid().getOrDefault(dataNode, goal.length()));
  }

  /**
   * Whether the replica is made equal. Any other stays as it is, and can be copied from. The member
   * beside a DataNode says what may be done to its replica, and there may be none.
   */
  public boolean takesPart(String dataNode) {
    return goal.required().contains(dataNode);
  }

  /**
   * Whether the replica may be valid to the agreed end. A replica that is not may still prove how
   * long the log was. So it is cut only once another one has been found valid.
   */
  public boolean mayBeWhole(String dataNode) {
    return end(dataNode) == goal.length();
  }

  /**
   * Whether the members have read all that is kept, and nothing has to be copied. Otherwise the
   * replica that is copied from must be read first.
   */
  public boolean isKnown() {
    return lengths.entrySet().stream()
        .allMatch(
            e ->
                Math.min(e.getValue(), goal.valid().getOrDefault(e.getKey(), 0L)) >= goal.length());
  }

  /** The replicas from which the others may be filled up, in the order in which to try them. */
  public List<String> sources() {
    List<String> sources =
        new ArrayList<>(
            asked.stream()
                .filter(this::mayBeWhole)
                .filter(d -> lengths.containsKey(d))
                .filter(d -> lengths.get(d) >= goal.length() || goal.length() == 0)
                .toList());
    sources.sort(Comparator.comparing(d -> !d.equals(goal.holder())));
    return sources;
  }

  /**
   * No source is valid as far as could be read, and these could not be read. The holder has to show
   * what it has said, so it has failed if it does not; else all of them have, as they may have the
   * holder's replica.
   */
  public void unread(Collection<String> sources) {
    if (sources.contains(goal.holder())) {
      failed(goal.holder());
    } else if (!isOwn()) {
      sources.forEach(this::failed);
    }
  }

  /** Whether the holder has said that it has the replica itself. */
  private boolean isOwn() {
    return goal.valid().getOrDefault(goal.holder(), 0L) >= goal.length();
  }

  /**
   * If no source is valid: whether that refutes the holder. It does not as long as a DataNode that
   * may have the holder's replica has not answered, nor while the NameNode lists no other: after
   * its restart it learns late which there are.
   */
  public boolean isRefuted() {
    return isOwn()
        ? lengths.containsKey(goal.holder())
        : !goal.required().containsAll(asked)
            && asked.stream().filter(this::mayBeWhole).allMatch(lengths::containsKey);
  }

  /** A replica has the agreed length and bytes, on its DataNode's disk. */
  public void equalized(String dataNode) {
    equal.add(dataNode);
  }

  /** The DataNodes that are required and not equal. While there is one, recovery has failed. */
  public Set<String> behind() {
    Set<String> behind = new TreeSet<>(goal.required());
    behind.removeAll(equal);
    return behind;
  }
}
