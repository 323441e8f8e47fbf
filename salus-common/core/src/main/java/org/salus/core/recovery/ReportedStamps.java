package org.salus.core.recovery;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.salus.core.log.LogRules;

/**
 * What the DataNodes themselves have reported of one open segment's replicas (paper §4.4, phase 2).
 * M0 tells the NameNode which replicas a recovery has brought to a new generation stamp. HDFS then
 * drops every other replica, and M0 may be wrong. So the NameNode takes a DataNode's own report
 * only.
 *
 * <p>The NameNode forgets the reports when it restarts. Then the recovery brings the replicas to
 * another stamp, and the DataNodes report that. DataNodes are given by name. Not thread-safe.
 */
public final class ReportedStamps {
  private final LogRules rules;
  private final Map<String, Long> stamps = new TreeMap<>();

  /**
   * @param rules the rules that say which replicas count
   */
  public ReportedStamps(LogRules rules) {
    this.rules = rules;
  }

  /** A DataNode reports that its replica has this stamp now. */
  public void reported(String dataNode, long stamp) {
    stamps.put(dataNode, stamp);
  }

  /**
   * A DataNode reports that it has no replica with this stamp any more. It may have one with a
   * newer stamp meanwhile.
   */
  public void gone(String dataNode, long stamp) {
    stamps.computeIfPresent(dataNode, (d, reported) -> reported > stamp ? reported : null);
  }

  /** The stamp that each DataNode has reported last. */
  public Map<String, Long> last() {
    return Map.copyOf(stamps);
  }

  /**
   * The DataNodes of those named that have not reported the stamp. While there is one, the NameNode
   * does not count the named replicas.
   *
   * @param named the DataNodes whose replicas are said to have the stamp
   */
  public Set<String> unreported(Collection<String> named, long stamp) {
    Set<String> unreported = new TreeSet<>();
    for (String dataNode : named) {
      Long reported = stamps.get(dataNode);
      if (!rules.mayCount(reported == null ? OwnReplica.ABSENT : reported, stamp)) {
        unreported.add(dataNode);
      }
    }
    return unreported;
  }
}
