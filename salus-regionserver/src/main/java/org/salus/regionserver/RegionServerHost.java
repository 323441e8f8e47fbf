package org.salus.regionserver;

import org.salus.host.config.PartSettings;

/**
 * The engine inside a region server. It needs a public constructor without arguments. The methods
 * are called one at a time, {@code start} first and {@code stop} last. They run on threads that
 * open and close regions, so they must not block. An open replica only means that this server is a
 * candidate for the region.
 */
public interface RegionServerHost {
  /** Names the implementing class; without the setting the server hosts nothing. */
  String CLASS_KEY = PartSettings.REGION_SERVER.key();

  /** Starts the engine. The region server calls this before it reports to the master. */
  void start(ServerContext context);

  /** Whether it is started and clients can find it. Any thread may ask. */
  boolean isReady();

  /** HBase opened a replica of a volume's region here. */
  void replicaOpened(String volume, int region, int replica);

  /** HBase closed a replica that was open here. */
  void replicaClosed(String volume, int region, int replica);

  /**
   * Stops the engine. Replicas that are still open are not reported as closed. The call waits some
   * seconds for the last writes to be acknowledged. If a writer leaves while its DataNode syncs,
   * that DataNode cannot recover the replica.
   */
  void stop();
}
