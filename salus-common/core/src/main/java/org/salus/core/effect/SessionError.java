package org.salus.core.effect;

/** Why a session cannot do what it was asked. */
public enum SessionError {
  /** A newer mount exists. */
  FENCED,
  /** No room for log segments; what was acknowledged stays. */
  NO_SPACE,
  /** No member returned what the tree says, or roots disagree. */
  INTEGRITY,
  /** The cluster did not answer in time. */
  TIMED_OUT,
  /** The session was closed. */
  CLOSED
}
