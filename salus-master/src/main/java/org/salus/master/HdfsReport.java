package org.salus.master;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.salus.core.Quota;
import org.salus.core.Reason;
import org.salus.core.replacement.DataNodeState;

/**
 * What the NameNode says of HDFS. Immutable.
 *
 * @param safeMode whether it takes no changes
 * @param guarded whether it asks a guard before it changes volumes' files
 * @param dataNodes the DataNodes that are alive, by {@code ip:port}
 * @param quotas the quotas that bind volumes or HBase
 */
public record HdfsReport(
    boolean safeMode, boolean guarded, Map<String, DataNodeReport> dataNodes, List<Quota> quotas) {
  /** The NameNode answers, but does not tell in which state HDFS is. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    /** Keeps what the NameNode has said. */
    public RefusedException(IOException said) {
      super(said.getMessage(), said);
    }
  }

  /** Nothing is known. */
  public static final HdfsReport NONE = new HdfsReport(false, true, Map.of(), List.of());

  /** Copies the map and the list. */
  public HdfsReport {
    dataNodes = Map.copyOf(dataNodes);
    quotas = List.copyOf(quotas);
  }

  /** The bytes for which DataNodes in service have room, for all replicas together. */
  long room() {
    return dataNodes.values().stream()
        .filter(d -> d.state() == DataNodeState.IN_SERVICE)
        .mapToLong(DataNodeReport::remaining)
        .sum();
  }

  /** The quota that stops volumes or HBase. */
  Optional<Reason> quota() {
    return quotas.stream().flatMap(q -> q.reason().stream()).findFirst();
  }
}
