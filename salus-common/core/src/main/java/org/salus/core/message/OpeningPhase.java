package org.salus.core.message;

/** The phases of a member in the opening of its epoch (paper §4.4, phase 2), in order. */
public enum OpeningPhase {
  /** It reads its own replicas. */
  SCANNING,
  /** It has told what they hold; all agree where the old log ends. */
  AGREEING,
  /** M0 equalizes the replicas. */
  RECOVERING,
  /** It replays the log: M0 has equalized the replicas. */
  REPLAYING,
  /** It has replayed the log. */
  REPLAYED,
  /** M0 has proposed the manifest that begins the epoch. */
  SERVING
}
