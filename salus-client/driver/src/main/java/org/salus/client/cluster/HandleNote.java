package org.salus.client.cluster;

import org.salus.core.mount.MountConfig;
import org.salus.core.session.Acknowledgements;
import org.salus.host.zk.WriterClaim;

/**
 * What a handle keeps beyond the end of its process, so that another process can go on for its
 * user. This one keeps nothing. To be used on the volume's loop.
 */
public interface HandleNote {
  /** Of a handle that ends with its process. */
  HandleNote NONE = new HandleNote() {};

  /**
   * Whether anything is kept. If so, each process of the user has the same claim id, and a claim
   * that was not kept leaves its record in ZooKeeper: it says that nobody else had the volume.
   */
  default boolean lasts() {
    return false;
  }

  /** A claim of this handle. */
  default WriterClaim claim(WriterClaim first) {
    return first;
  }

  /** These times, with the mount that the first one must follow. */
  default MountConfig following(MountConfig times) {
    return times;
  }

  /** The seq up to which the user relies on the volume by an earlier process. */
  default long acknowledged() {
    return 0;
  }

  /** The same for a user who accepts that what is not durable is lost. */
  default long durable() {
    return 0;
  }

  /** The same by regions. */
  default Acknowledgements regions() {
    return Acknowledgements.NONE;
  }

  /**
   * Keeps the number of a mount, before anything is read or written under it. If it cannot, it
   * throws what ends the handle.
   */
  default void mounts(long epoch) {}

  /** Keeps what the user relies on from now on, before anything is answered; or throws as above. */
  default void relies(long acknowledged, long durable, Acknowledgements regions) {}
}
