package org.salus.core.replacement;

/** Why an epoch was replaced by the next. */
public enum Cause {
  /** A member's server is gone, or has started again. */
  GONE,
  /** A member could not go on. */
  FAILED,
  /** A member computed another result than the others. */
  DIFFERED,
  /** Members answered a mount differently. */
  DISAGREED,
  /** A session proved an answer of a member wrong. */
  WRONG_ANSWER,
  /**
   * Nothing came through a member for long, or the epoch did not open. There is no proof that the
   * member was to blame.
   */
  STALLED,
  /** An operator wanted a member out, which says nothing about its behaviour. */
  OPERATOR,
  /**
   * A member's DataNode is being decommissioned, put into maintenance or is full, or its replica is
   * on another machine, and another server has taken its place.
   */
  RETIRED,
  /** The replica of a member moves to another machine's DataNode, or back. */
  MOVED,
  /**
   * Not all holders took part, and no user had said that nothing is missing. In the next epoch a
   * holder is back, or it serves without that word.
   */
  UNPROVEN,
  /** Its record in ZooKeeper was lost, or was not of the region's chain of epochs. */
  RECORD,
  /** Another member joined. */
  JOINED
}
