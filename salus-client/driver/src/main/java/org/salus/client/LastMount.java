package org.salus.client;

import java.util.Optional;

/**
 * Where it is kept under which mount a user has had a volume, so that another process can go on for
 * the same user. Thread-safe.
 *
 * <p>An old note is safe: the volume is refused, though nobody else may have had it.
 */
public interface LastMount {
  /**
   * A mount.
   *
   * @param volume the volume's id
   * @param epoch the number of the mount
   */
  record Mount(long volume, long epoch) {}

  /** The last mount; empty for none. */
  Optional<Mount> find();

  /**
   * Keeps a mount, before anything is read or written under it. Called on the volume's thread,
   * which waits for it.
   */
  void keep(Mount mount);
}
