package org.salus.master;

import org.salus.host.config.PartSettings;

/**
 * Salus' part of the active master. Made by its public constructor without arguments each time a
 * master becomes active.
 */
public interface MasterHost {
  /** Names the implementing class; without the setting the master does nothing for volumes. */
  String CLASS_KEY = PartSettings.MASTER.key();

  /**
   * The master is active, and perhaps not initialized yet: that takes until hbase:meta is served,
   * for which volumes do not wait. Must not block.
   */
  void start(MasterContext context);

  /** The master stops or is no longer active. */
  void stop();
}
