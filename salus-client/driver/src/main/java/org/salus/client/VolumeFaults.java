package org.salus.client;

import org.salus.host.FaultHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a volume, and nothing else, at a bug, for want of memory, or when what it must keep cannot
 * be kept. Thread-safe.
 */
final class VolumeFaults implements FaultHandler {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeFaults.class);
  private final String name;
  private volatile RemoteVolume volume;

  VolumeFaults(String name) {
    this.name = name;
  }

  /** Sets the volume. To be called before anything runs on its loop. */
  void attach(RemoteVolume of) {
    volume = of;
  }

  @Override
  public void onFault(String what, Throwable bug) {
    if (bug instanceof OutOfMemoryError) {
      LOG.error("volume {}: out of memory while {}: ending the volume", name, what, bug);
    } else if (bug instanceof SalusException) {
      LOG.error("{}", bug.getMessage(), bug);
    } else {
      LOG.error(
          "BUG in volume {} while {}: ending the volume, since going on could damage data",
          name,
          what,
          bug);
    }
    volume.fault(bug);
  }
}
