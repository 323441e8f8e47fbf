package org.salus.regionserver;

/**
 * What JMX shows of a server's scrubber; the values are those of {@code
 * org.salus.host.zk.ScrubRecord}.
 */
public interface ScrubStatusMXBean {
  boolean isRunning();

  long getPasses();

  long getPassFiles();

  long getPassBytes();

  long getBytes();

  long getBadReplicas();

  long getRepairedReplicas();

  /** Files that reads have found damaged, and that wait for their check. */
  int getUrgent();
}
