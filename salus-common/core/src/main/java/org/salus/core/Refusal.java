package org.salus.core;

/** Why a member does not accept what it was sent. */
public enum Refusal {
  /** Not now: send the same again later. */
  BUSY,
  /** Damaged on the way: send the same again. */
  DAMAGED,
  /** Something before it is missing: send from the seq after the one named. */
  OUT_OF_ORDER,
  /** A newer mount exists, and its signature is shown: the session is over. */
  FENCED,
  /** The RRS is of another epoch: look it up again. */
  WRONG_EPOCH,
  /** The DataNodes have no room for another log segment. */
  NO_SPACE,
  /**
   * The region's log ends before what all lanes had committed. If all members say so, the session
   * is over.
   */
  LOST
}
