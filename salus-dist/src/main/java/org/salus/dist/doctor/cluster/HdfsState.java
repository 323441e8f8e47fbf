package org.salus.dist.doctor.cluster;

import java.util.List;

/**
 * What a NameNode says of HDFS. Immutable.
 *
 * @param nameNode the NameNode that says so, {@code host:port} of its RPC server
 * @param safeMode its words about safe mode; empty if it is not in it
 * @param lostDirectories the NameNode's own directories that do not work
 * @param dataNodes all DataNodes that it knows
 */
public record HdfsState(
    String nameNode, String safeMode, List<String> lostDirectories, List<DataNode> dataNodes) {
  /** Copies the lists. */
  public HdfsState {
    lostDirectories = List.copyOf(lostDirectories);
    dataNodes = List.copyOf(dataNodes);
  }

  /**
   * A DataNode.
   *
   * @param host its name as the NameNode knows it
   * @param transfer {@code ip:port} at which it takes data
   * @param info {@code host:port} of its info server; empty if it is dead
   * @param live whether the NameNode hears it
   * @param state HDFS' words for its state
   * @param silentSeconds the time since its last heartbeat
   * @param capacity bytes of all its disks
   * @param remaining bytes for which it has room
   */
  public record DataNode(
      String host,
      String transfer,
      String info,
      boolean live,
      String state,
      long silentSeconds,
      long capacity,
      long remaining) {
    private static final int STALE_SECONDS = 30;

    /** Whether HDFS calls it stale. */
    public boolean isStale() {
      return live && silentSeconds > STALE_SECONDS;
    }

    /** Whether no operator takes it out of HDFS. */
    public boolean inService() {
      return state.equals("In Service");
    }

    /** Whether it takes new replicas. */
    public boolean takesReplicas() {
      return live && inService() && !isStale();
    }
  }
}
