package org.salus.master;

import org.salus.host.config.PartSettings;

/**
 * Salus' part of the active master. HBase's hook makes it each time a master becomes active, so it
 * needs a public constructor without arguments.
 */
public interface MasterHost {
  /**
   * The setting that names the implementing class. Without it the master does nothing for volumes.
   */
  String CLASS_KEY = PartSettings.MASTER.key();

  /**
   * Starts. The master is active, but perhaps not initialized, because that waits until hbase:meta
   * is served. Volumes do not wait for that. Must not block.
   */
  void start(MasterContext context);

  /**
   * Whether HBase's clients may change nothing about the tables of volumes: make one, or change one
   * of a volume that {@link #keeps} knows.
   */
  default boolean guardsTables() {
    return false;
  }

  /**
   * Whether there is a volume of this name; true while that is not known. Any thread may ask. Must
   * not block.
   */
  default boolean keeps(String volume) {
    return false;
  }

  /** Stops, because the master stops or is no longer active. */
  void stop();
}
