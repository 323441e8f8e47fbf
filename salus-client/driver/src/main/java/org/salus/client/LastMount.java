package org.salus.client;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Where a process keeps what another one must know to go on for the same user: under which mount
 * the user had the volume, and what was acknowledged. Thread-safe.
 */
public interface LastMount {
  /**
   * What a process has kept.
   *
   * @param volume the volume's id
   * @param claimId the id of the claims of all processes of this user
   * @param generation the number of the process among those of the user: one more than that of the
   *     process from whose note it began. It orders their claims
   * @param process the process' own id. Of two that began from the same note, it tells which is
   *     which
   * @param epoch the number of the last mount; 0 for none
   * @param acknowledged what the user relies on
   * @param isCertain false if some of what was acknowledged may not be in it, as after a power cut
   *     of this machine
   */
  record Mount(
      long volume,
      String claimId,
      long generation,
      String process,
      long epoch,
      Acknowledged acknowledged,
      boolean isCertain) {}

  /**
   * What a user relies on.
   *
   * @param changes the number up to which changes were acknowledged
   * @param durable the number up to which they are durable
   * @param since the mount under which they were acknowledged; 0 for none
   * @param regions the number of the last change of each region
   */
  record Acknowledged(long changes, long durable, long since, List<Long> regions) {
    /** Of a user who relies on nothing. */
    public static final Acknowledged NOTHING = new Acknowledged(0, 0, 0, List.of());

    /** Copies the list. */
    public Acknowledged {
      regions = List.copyOf(regions);
    }
  }

  /** What an earlier process has kept; empty for none. */
  Optional<Mount> find();

  /**
   * Keeps this for the process that begins, before it claims the volume. It is on disk when this
   * returns.
   *
   * @param regions the number of the volume's regions
   * @throws IOException when it cannot be kept; then the volume is not opened
   */
  void begin(Mount mount, int regions) throws IOException;

  /**
   * Keeps the number of a mount, before anything is read or written under it. Called on the
   * volume's thread, which waits for it.
   *
   * @throws IOException when it is not kept; then the volume ends
   */
  void keep(long epoch) throws IOException;

  /**
   * Keeps what was acknowledged, before the user hears of it. Called as {@link #keep} is.
   *
   * @throws IOException when it is not kept; then the user does not hear of it, and the volume ends
   */
  void keep(Acknowledged acknowledged) throws IOException;
}
