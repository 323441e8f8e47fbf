package org.salus.datanode.hdfs.replica;

import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The NameNode says that DataNodes have not reported a replica's new generation stamp themselves.
 * They may do so soon.
 */
public final class UnreportedException extends IOException {
  private static final long serialVersionUID = 1;

  /** Hadoop's RPC makes it again at the caller from this message. */
  public UnreportedException(String message) {
    super(message);
  }

  /**
   * Says which DataNodes have not reported a stamp.
   *
   * @param dataNodes "ip:port" of each
   */
  public static UnreportedException of(String path, long stamp, Set<String> dataNodes) {
    return new UnreportedException(
        path
            + ": no report of stamp "
            + stamp
            + " from "
            + dataNodes.stream().map(UnreportedException::quoted).collect(Collectors.joining(" ")));
  }

  private static String quoted(String dataNode) {
    return "<" + dataNode + ">";
  }
}
