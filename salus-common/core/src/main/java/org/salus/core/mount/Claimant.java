package org.salus.core.mount;

/**
 * Who claims a volume: one process of a user.
 *
 * @param user the id of the claims of all processes of the user, which nobody else has
 * @param generation the number of the process among those of the user, from 1 on; 0 for a handle
 *     that ends with its process
 * @param process the process' own id, which tells two of one generation apart; empty for such a
 *     handle
 */
public record Claimant(String user, long generation, String process) {
  /** A handle that ends with its process. */
  public static Claimant alone(String claimId) {
    return new Claimant(claimId, 0, "");
  }

  /** Whether another process may go on for the user. */
  public boolean lasts() {
    return generation > 0;
  }
}
