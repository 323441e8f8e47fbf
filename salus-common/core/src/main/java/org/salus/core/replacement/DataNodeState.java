package org.salus.core.replacement;

/** What HDFS says of a server's DataNode that runs. */
public enum DataNodeState {
  /** It takes new replicas. */
  IN_SERVICE("is in service"),
  /** HDFS has not heard of it for a while. */
  STALE("is stale"),
  /** It has no room for a segment. */
  FULL("has no room"),
  ENTERING_MAINTENANCE("is entering maintenance"),
  IN_MAINTENANCE("is in maintenance"),
  DECOMMISSIONING("is being decommissioned"),
  DECOMMISSIONED("is decommissioned");

  private final String words;

  DataNodeState(String words) {
    this.words = words;
  }

  /** The predicate of a sentence about the DataNode. */
  public String words() {
    return words;
  }

  /** Whether an operator takes it out, so that HDFS places no replica there any more. */
  public boolean isRetiring() {
    return compareTo(ENTERING_MAINTENANCE) >= 0;
  }
}
