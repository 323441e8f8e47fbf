package org.salus.regionserver;

import org.salus.host.config.PartSettings;

/**
 * The engine inside a region server. Made by its public constructor without arguments. The methods
 * are called one at a time, {@code start} first and {@code stop} last, by threads that open and
 * close regions: they must not block. An open replica means that this server is a candidate for the
 * region, nothing more.
 */
public interface RegionServerHost {
  /** Names the implementing class; without the setting the server hosts nothing. */
  String CLASS_KEY = PartSettings.REGION_SERVER.key();

  /** The region server is about to report to the master. */
  void start(ServerContext context);

  /** HBase opened a replica of a volume's region here. */
  void replicaOpened(String volume, int region, int replica);

  /** HBase closed a replica that was open here. */
  void replicaClosed(String volume, int region, int replica);

  /**
   * The region server stops; replicas that are still open then are not reported as closed. Waits,
   * for some seconds at most, until what was written last is acknowledged: who cuts a DataNode off
   * while it syncs makes it unable to recover that replica.
   */
  void stop();
}
