package org.salus.sim;

import org.salus.core.mount.KeptMount;
import org.salus.core.session.Acknowledgements;
import org.salus.core.session.VolumeSession;

/**
 * What a client's process keeps for the next one of its user. Production has this in {@code
 * UserNote} and a file.
 */
final class SimNote {
  private KeptMount now;

  /** What is on disk, and so survives a power cut. */
  private KeptMount onDisk;

  private boolean isCertain = true;

  /** A process has begun with this, and has brought it to disk. */
  SimNote(KeptMount begun) {
    now = begun;
    onDisk = begun;
  }

  /** Keeps the number of a mount, on disk. */
  void mounts(long epoch) {
    now = kept(epoch, now.acknowledged(), now.durable(), now.regions());
    onDisk = now;
  }

  /** Keeps what the user relies on, before he hears of it. */
  void relies(VolumeSession by) {
    now = kept(now.epoch(), by.acknowledged(), by.durable(), by.acknowledgements());
  }

  private KeptMount kept(long epoch, long acknowledged, long durable, Acknowledgements regions) {
    return new KeptMount(now.by(), now.before(), epoch, acknowledged, durable, regions);
  }

  /** The process' machine loses power. */
  void losesPower() {
    now = onDisk;
    isCertain = false;
  }

  /** What the next process finds. */
  KeptMount found() {
    return now;
  }

  /** Whether it is known to have all that was kept. */
  boolean isCertain() {
    return isCertain;
  }
}
