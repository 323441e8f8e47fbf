package org.salus.core.mount;

/** Why a volume is not mounted for its user. */
public enum Interruption {
  /** The session ended for a reason of its own. */
  SESSION,
  /** The claim is gone: taken over, or lost with the client's session in ZooKeeper. */
  CLAIM_LOST,
  /** Another writer has the volume. */
  TAKEN,
  /** Another writer had the volume meanwhile. */
  OVERTAKEN,
  /** The volume does not exist any more. */
  DELETED,
  /** ZooKeeper did not answer the claim. */
  UNREACHABLE,
  /** The volume was closed. */
  CLOSED
}
