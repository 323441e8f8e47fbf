package org.salus.benchmarks.faults;

/** What goes on when the fault is done. */
public enum CellPhase {
  /** Many writes are outstanding. */
  WRITE,
  /** Everything is written; it is read next. */
  READ,
  /** Everything is written; next so much more is written that checkpoints are built. */
  FLUSH,
  /** The regions are opened anew next, while the client goes on. */
  RECOVERY,
  /**
   * Some is written. Then the servers that are not faulty crash with their DataNodes, and come back
   * a moment later, while the client goes on.
   */
  RIGHT_ONES_AWAY,
  /** Nobody has it open; it is opened next. */
  MOUNT,
  /** Many writes are outstanding when the client is killed. */
  CLIENT_CRASH
}
