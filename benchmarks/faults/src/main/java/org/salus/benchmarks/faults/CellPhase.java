package org.salus.benchmarks.faults;

/** What goes on when the fault comes. */
public enum CellPhase {
  /** Many writes are outstanding. */
  WRITE,
  /** Everything is written; it is read next. */
  READ,
  /** So much is written next that checkpoints are built. */
  FLUSH,
  /** The regions are opened anew next, under a client that goes on. */
  RECOVERY,
  /** Nobody has it open; it is opened next. */
  MOUNT,
  /** Many writes are outstanding when the client is killed. */
  CLIENT_CRASH
}
