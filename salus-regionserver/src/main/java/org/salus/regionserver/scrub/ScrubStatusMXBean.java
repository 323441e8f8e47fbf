package org.salus.regionserver.scrub;

/**
 * The state of a server's scrubber for JMX. The values are those of {@code
 * org.salus.host.zk.ScrubRecord}.
 */
public interface ScrubStatusMXBean {
  /** Whether the record of earlier passes was read. Until then all numbers are 0. */
  boolean isKnown();

  boolean isRunning();

  long getPasses();

  long getPassFiles();

  long getPassBytes();

  long getBytes();

  long getBadReplicas();

  long getRepairedReplicas();

  /** The number of bad replicas that are neither repaired nor gone. */
  int getUnrepairedReplicas();

  /**
   * The number of files that wait to be checked at once, because a read found them damaged or the
   * server is doubted.
   */
  int getUrgent();
}
