package org.salus.client.cluster;

import java.io.IOException;
import org.salus.core.mount.KeptMount;
import org.salus.core.session.Acknowledgements;

/**
 * What a handle keeps beyond the end of its process, so that another process can go on for its
 * user. By default it keeps nothing. To be used on the volume's loop.
 */
public interface HandleNote {
  /**
   * Of a handle that ends with its process.
   *
   * @param user by whom it claims
   */
  static HandleNote none(KeptMount user) {
    return () -> user;
  }

  /** Who claims, and what the user relies on by an earlier process. */
  KeptMount user();

  /** Whether anything is kept. */
  default boolean lasts() {
    return user().by().lasts();
  }

  /**
   * Keeps who claims, before the first claim. May be called on any thread.
   *
   * @throws IOException when it cannot be kept
   */
  default void begin() throws IOException {}

  /** Keeps the number of a mount, before anything is read or written under it. */
  default void mounts(long epoch) throws IOException {}

  /** Keeps what the user relies on from now on, before anything is answered. */
  default void relies(long acknowledged, long durable, Acknowledgements regions)
      throws IOException {}
}
