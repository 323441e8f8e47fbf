package org.salus.core.replacement;

/** What HDFS, or an operator, says of a server's DataNode that runs. */
public enum DataNodeState {
  /** It takes new replicas. */
  IN_SERVICE("is in service"),
  /** HDFS has not heard of it for a while. */
  STALE("is stale"),
  /** It has no room for a segment. */
  FULL("has no room"),
  /** An operator drains its server. HDFS places replicas there all the same. */
  DRAINED("is being drained"),
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

  /** Whether members leave it as soon as others can take their places. */
  public boolean isLeft() {
    return this == DRAINED || isRetiring();
  }

  /** Whether an operator takes it out of HDFS, which places no replica there any more. */
  public boolean isRetiring() {
    return compareTo(ENTERING_MAINTENANCE) >= 0;
  }
}
